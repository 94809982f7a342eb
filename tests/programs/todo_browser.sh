# The list of things to do of examples/, used in Chromium: what is typed is
# added, shown as text whatever it is, ticked and deleted. A page of another
# site cannot do that.
# expect: the title: To do
# expect: added: ["buy milk","<script>document.title = \"taken\"</script>"]
# expect: no script has run: To do
# expect: nothing typed: The title is empty.
# expect: a program adds, too: ["buy milk","<script>document.title = \"taken\"</script>","from a program"]
# expect: ticked: ["buy milk"]
# expect: deleted: ["from a program","buy milk"]
# expect: a form of another site: Forbidden
# expect: still there: ["from a program","buy milk"]
# expect: the picture: 400 x 300, with more than two colours: true
# needs: node /usr/share/nodejs/ws chromium-headless-shell pkill
# small: CSPDEBUG=
# timeout: 120
. tests/programs/lib/browser.sh
browse << 'END'
const { launch, serve, look, test } = require(process.cwd() + '/tests/programs/lib/browser.js')

const items = `[...document.querySelectorAll('li')].map(item => item.firstChild.textContent.trim() ||
  item.firstElementChild.textContent)`

async function main() {
  const [, at] = await serve('examples/todo.csp', '127.0.0.1:0', process.env.TMPDIR + '/todo.db')
  const browser = await launch(), page = await browser.open(at + '/')
  console.log('the title:', await page.evaluate('document.title'))
  for (const text of ['buy milk', '<script>document.title = "taken"</script>']) {
    await page.loads(() => page.type(text))
  }
  console.log('added:', JSON.stringify(await page.evaluate(items)))
  console.log('no script has run:', await page.evaluate('document.title'))
  await page.loads(() => page.type(' '))
  console.log('nothing typed:', await page.evaluate(`document.querySelector('[role=alert]').textContent`))
  await page.evaluate(`fetch('/api/items', { method: 'POST', body: JSON.stringify({ title: 'from a program' }) })`)
  await page.loads(() => page.send('Page.navigate', { url: at + '/' }))
  console.log('a program adds, too:', JSON.stringify(await page.evaluate(items)))
  const click = (item, label) => page.loads(() => page.evaluate(
    `[...document.querySelectorAll('li:nth-child(${item}) button')].find(b => b.textContent.trim() === '${label}').click()`))
  await click(1, 'Done')
  console.log('ticked:', JSON.stringify(await page.evaluate(`[...document.querySelectorAll('s')].map(s => s.textContent)`)))
  await click(1, 'Delete')
  console.log('deleted:', JSON.stringify(await page.evaluate(items)))
  const { width, height, colours } = look(await page.picture())

  const other = await browser.open(at.replace('127.0.0.1', 'localhost') + '/')
  await other.loads(() => other.evaluate(`document.forms[0].action = '${at}/items'; 0`).then(() => other.type('forged')))
  console.log('a form of another site:', await other.evaluate(`document.querySelector('h1').textContent`))
  await page.loads(() => page.send('Page.navigate', { url: at + '/' }))
  console.log('still there:', JSON.stringify(await page.evaluate(items)))
  console.log('the picture: %d x %d, with more than two colours:', width, height, colours > 2)
}

test(main)
END
