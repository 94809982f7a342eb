# The page of notes in examples/, as Chromium shows it: what a program has sent
# as JSON is in it, as text.
# expect: 201 201
# expect: <title>Notes</title> <li>buy &lt;b&gt;milk&lt;/b&gt;</li> <li>call Åsa &amp; Al</li>
# expect: the picture: 400 x 300, with more than one colour: true
# expect: an empty list has another picture: true
# needs: node /usr/share/nodejs/ws chromium-headless-shell pkill
# small: CSPDEBUG=
# timeout: 120
. tests/programs/lib/browser.sh
browse << 'END'
const { run, serve, look, test } = require(process.cwd() + '/tests/programs/lib/browser.js'), fs = require('fs')

async function main() {
  const [, at] = await serve('examples/notes.csp', '127.0.0.1:0')
  const picture = name => {
    run('--screenshot=' + process.env.TMPDIR + '/' + name, at + '/')
    return fs.readFileSync(process.env.TMPDIR + '/' + name)
  }
  const empty = picture('empty.png')
  const add = async text => (await fetch(at + '/notes', { method: 'POST', body: JSON.stringify({ text }) })).status
  console.log(await add('buy <b>milk</b>'), await add('call Åsa & Al'))
  const dom = run('--dump-dom', at + '/')
  console.log(dom.match(/<title>.*?<\/title>|<li>.*?\s*<\/li>/gs).map(tag => tag.replace(/\s+</g, '<')).join(' '))
  const notes = picture('notes.png'), { width, height, colours } = look(notes)
  console.log('the picture: %d x %d, with more than one colour:', width, height, colours > 1)
  console.log('an empty list has another picture:', !empty.equals(notes) && look(empty).width === 400)
}

test(main)
END
