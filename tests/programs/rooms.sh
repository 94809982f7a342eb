# The rooms of examples/, with many clients of npm's ws. Each gets each line, in
# one order. Names are unique, newcomers get the last lines, the end is told.
# expect: joined: all
# expect: each client has each line: true
# expect: all in the same order: true
# expect: a name that is taken: 4001 the name is taken
# expect: without a name: Unexpected server response: 400
# expect: another site: Unexpected server response: 403
# expect: a line that is too long: 1009
# expect: a newcomer has the last 50: true
# expect: others heard that one leave: true
# expect: <title>a&lt;/script&gt;&quot;&lt;b&gt;</title>
# expect: const room = "a\u003c/script\u003e\"\u003cb\u003e"
# expect: at SIGTERM each gets 1001: true
# expect: the status: 0
# needs: node /usr/share/nodejs/ws
# short: SIZE=200
# small: SIZE=20
# timeout: 60
export NODE_PATH=/usr/share/nodejs
cat > "$TMPDIR/clients.js" << 'END'
const WebSocket = require('ws'), http = require('http'), { spawn } = require('child_process')
const size = +(process.env.SIZE || 500)
const server = spawn(process.env.CSPVM, ['examples/rooms.csp', '127.0.0.1:0'], { stdio: ['ignore', 'pipe', 'inherit'] })
let at

const open = (name, headers) => new WebSocket(at.replace('http', 'ws') + 'rooms/hall/talk?name=' + name, { headers })
const once = (emitter, event) => new Promise(resolve => emitter.once(event, (...all) => resolve(all)))

// Resolves when `ready` says so. What a client has got is in its `lines`.
function join(name, ready) {
  const ws = open(name)
  ws.lines = []
  ws.ready = ready
  ws.closed = once(ws, 'close')
  const settled = new Promise((resolve, reject) => {
    ws.on('message', data => {
      ws.lines.push(JSON.parse(data))
      if (ws.ready(ws.lines)) resolve(ws)
    })
    ws.closed.then(([code, reason]) => reject(new Error(name + ' was closed: ' + code + ' ' + reason)))
  })
  settled.catch(() => {})
  return [ws, settled]
}

const refusal = async (name, headers) => {
  const [error] = await once(open(name, headers), 'error')
  return error.message
}

const page = path => new Promise(resolve => http.get(at + path, async reply => {
  let text = ''
  for await (const piece of reply) text += piece
  resolve(text)
}))

const said = lines => lines.filter(line => line.kind === 'say').map(line => line.text)

async function main() {
  at = String(await once(server.stdout, 'data')).trim().split(' ').pop()
  const pairs = [...Array(size).keys()].map(i => join('n' + i, lines => said(lines).length === size))
  await Promise.all(pairs.map(([ws]) => once(ws, 'message')))
  console.log('joined: all')
  pairs.forEach(([ws], i) => ws.send('<i>ä ' + i))
  const all = await Promise.all(pairs.map(([, settled]) => settled))
  const wanted = [...Array(size).keys()].map(i => '<i>ä ' + i).sort().join()
  console.log('each client has each line:', all.every(ws => said(ws.lines).sort().join() === wanted))
  const order = said(all[0].lines).join()
  console.log('all in the same order:', all.every(ws => said(ws.lines).join() === order))

  const [again] = join('n0', () => true)
  const [code, reason] = await again.closed
  console.log('a name that is taken:', code, String(reason))
  console.log('without a name:', await refusal(''))
  console.log('another site:', await refusal('x', { origin: 'http://evil.example' }))

  for (let i = 0; i < 50; i++) all[0].send('last ' + i)
  const last = text => lines => said(lines).includes(text)
  await Promise.all(all.map(ws => new Promise(resolve => {
    ws.on('message', () => { if (last('last 49')(ws.lines)) resolve() })
    if (last('last 49')(ws.lines)) resolve()
  })))
  const [late, settled] = join('late', lines => lines.some(line => line.kind === 'join' && line.name === 'late'))
  await settled
  late.send('x'.repeat(4001))
  console.log('a line that is too long:', (await late.closed)[0])
  console.log('a newcomer has the last 50:', late.lines.slice(0, 50).every((line, i) => line.text === 'last ' + i))
  const left = ws => ws.lines.some(line => line.kind === 'leave' && line.name === 'late')
  while (!all.every(left)) await new Promise(resolve => setTimeout(resolve, 10))
  console.log('others heard that one leave:', true)

  const html = await page('rooms/' + encodeURIComponent('a</script>"<b>'))
  console.log(html.split('\n').filter(line => /<title>|const room/.test(line)).join('\n'))

  server.kill('SIGTERM')
  const closed = await Promise.all(all.map(ws => ws.closed))
  console.log('at SIGTERM each gets 1001:', closed.every(([code]) => code === 1001))
  const [status] = server.exitCode === null ? await once(server, 'exit') : [server.exitCode]
  console.log('the status:', status)
}

main().catch(error => {
  console.log(error)
  server.kill()
  process.exitCode = 1
})
END
node "$TMPDIR/clients.js"
