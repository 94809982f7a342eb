# A client of examples/rooms.csp that reads nothing: nobody waits for it, and it
# is dropped. Another such one does not hold up the end at SIGTERM.
# One that reads again in time is told why.
# expect: the others hear that the slow one is gone
# expect: heard in between: all
# expect: the name is free again: join
# expect: one that reads again: 4002 too slow
# expect: at SIGTERM: 1001
# expect: the status: 0
# needs: node /usr/share/nodejs/ws
# small: CSPDEBUG=
# timeout: 60
export NODE_PATH=/usr/share/nodejs
cat > "$TMPDIR/clients.js" << 'END'
const WebSocket = require('ws'), net = require('net'), { spawn } = require('child_process')
const servers = []
const once = (emitter, event) => new Promise(resolve => emitter.once(event, (...all) => resolve(all)))

const words = 'x'.repeat(3900)

// A server and its port.
async function start(patience) {
  const server = spawn(process.env.CSPVM, ['examples/rooms.csp', '127.0.0.1:0'],
    { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, PATIENCE: patience } })
  servers.push(server)
  return [server, /:(\d+)\/\s*$/.exec(String(await once(server.stdout, 'data')))[1]]
}

// A client that talks, and keeps what it has heard. until(ready) waits.
function talker(port) {
  const ws = new WebSocket('ws://127.0.0.1:' + port + '/rooms/hall/talk?name=talks')
  const waiting = [], seen = { say: 0 }
  ws.on('message', data => {
    const line = JSON.parse(data)
    seen[line.kind + ' ' + line.name] = true
    if (line.kind === 'say') seen.say++
    waiting.splice(0).forEach(wake => wake())
  })
  const until = async ready => { while (!ready()) await new Promise(wake => waiting.push(wake)) }
  return { ws, seen, until }
}

// Asks for a WebSocket, and never reads what comes.
function join_deaf(port, name) {
  const socket = net.connect(+port, '127.0.0.1')
  socket.on('error', () => {})
  socket.pause()
  socket.write(['GET /rooms/hall/talk?name=' + name + ' HTTP/1.1', 'Host: a', 'Upgrade: websocket',
    'Connection: Upgrade',
    'Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==', '', ''].join('\r\n'))
  return socket
}

async function main() {
  const [server, port] = await start('5s'), { ws, seen, until } = talker(port)
  const closed = once(ws, 'close')
  await once(ws, 'open')
  const deaf = join_deaf(port, 'slow')
  await until(() => seen['join slow'])
  let sent = 0
  for (; !seen['leave slow'] && sent < 500_000; sent += 100) {
    for (let i = 0; i < 100; i++) ws.send(words)
    await until(() => seen.say >= sent + 100)  // the one that reads keeps up
  }
  console.log(seen['leave slow'] ? 'the others hear that the slow one is gone' : 'it is still there')
  console.log('heard in between:', seen.say === sent ? 'all' : seen.say + ' of ' + sent)
  deaf.destroy()
  delete seen['join slow']
  const again = join_deaf(port, 'slow')
  await until(() => seen['join slow'])
  console.log('the name is free again: join')
  for (let i = 0; i < 2000; i++) ws.send(words)
  await until(() => seen.say >= sent + 2000)

  await reads_again()

  server.kill('SIGTERM')
  console.log('at SIGTERM:', (await closed)[0])
  const [status] = server.exitCode === null ? await once(server, 'exit') : [server.exitCode]
  console.log('the status:', status)
  again.destroy()
}

// It stops to read until the lines that it may be behind have been said. Its
// server has the patience to wait until it reads again, however long that takes.
async function reads_again() {
  const [server, port] = await start('1h'), { ws, seen, until } = talker(port)
  await once(ws, 'open')
  const late = new WebSocket('ws://127.0.0.1:' + port + '/rooms/hall/talk?name=late')
  const late_closed = once(late, 'close'), late_open = once(late, 'open')
  await until(() => seen['join late'])
  await late_open
  late._socket.pause()
  const before = seen.say
  for (let n = before; n < before + 8_000; n += 100) {
    for (let i = 0; i < 100; i++) ws.send(words)
    await until(() => seen.say >= n + 100)
  }
  late._socket.resume()
  console.log('one that reads again:', ...(await late_closed).map(String))
  server.kill('SIGTERM')
}

main().catch(error => {
  console.log(error)
  servers.forEach(server => server.kill())
  process.exitCode = 1
})
END
node "$TMPDIR/clients.js"
