# The chat of examples/ in two windows of Chromium. What one says the other one
# shows, as text, and both are told of the end.
# expect: the list of rooms: tea: 2
# expect: ann sees: ann is here|bob is here|bob: <b>hello</b>|ann: <img src=x onerror=alert(1)>|It has ended. the server ends
# expect: bob sees: ann is here|bob is here|bob: <b>hello</b>|ann: <img src=x onerror=alert(1)>|It has ended. the server ends
# expect: tags that nobody wrote: 0
# expect: the picture has more than two colours: true
# needs: node /usr/share/nodejs/ws chromium-headless-shell pkill
# small: CSPDEBUG=
# timeout: 120
. tests/programs/lib/browser.sh
browse << 'END'
const { launch, serve, look, test } = require(process.cwd() + '/tests/programs/lib/browser.js')

const lines = `[...document.querySelectorAll('#lines div')].map(line => line.textContent.replace(/^\\d.*? (?=ann|bob)/, ''))`

async function main() {
  const [server, at] = await serve('examples/rooms.csp', '127.0.0.1:0')
  const browser = await launch()
  const ann = await browser.open(at + '/rooms/tea', 'ann')
  await ann.until(lines + '.length === 1')
  const bob = await browser.open(at + '/rooms/tea', 'bob')
  const both = async condition => {
    await ann.until(lines + condition)
    await bob.until(lines + condition)
  }
  await both('.length === 2')
  const list = await browser.open(at + '/')
  console.log('the list of rooms:', await list.evaluate(`document.querySelector('ul').textContent`))
  await bob.type('<b>hello</b>')
  await both('.length === 3')
  await ann.type('<img src=x onerror=alert(1)>')
  await both('.length === 4')
  const { colours } = look(await ann.picture())
  server.kill('SIGTERM')
  await both('.length === 5')
  console.log('ann sees:', (await ann.evaluate(lines)).join('|').trim())
  console.log('bob sees:', (await bob.evaluate(lines)).join('|').trim())
  console.log('tags that nobody wrote:', await bob.evaluate(`document.querySelectorAll('#lines b, #lines img').length`))
  console.log('the picture has more than two colours:', colours > 2)
}

test(main)
END
