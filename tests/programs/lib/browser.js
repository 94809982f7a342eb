// Chromium for tests of pages. `open` gives a page of a browser that is driven
// by its DevTools protocol, `run` starts one for a command such as --dump-dom.
const WebSocket = require('ws'), fs = require('fs'), zlib = require('zlib')
const { spawn, execFileSync } = require('child_process')

const dir = process.env.TMPDIR
const direct = '/usr/lib/chromium/chromium-headless-shell'  // the one in PATH is a script that stays its parent
const chromium = fs.existsSync(direct) ? direct : 'chromium-headless-shell'
const options = name => ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-proxy-server',
  '--hide-scrollbars', '--window-size=400,300', '--user-data-dir=' + dir + '/' + name]
const env = { ...process.env, HOME: dir }
const children = []
const child = (...args) => children[children.push(spawn(...args)) - 1]
process.on('exit', () => children.forEach(started => started.kill('SIGKILL')))
const once = (emitter, event) => new Promise(resolve => emitter.once(event, resolve))

// What a browser prints that ends by itself.
let runs = 0
exports.run = (...more) => execFileSync(chromium, [...options('once' + ++runs), ...more],
  { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })

// A server of examples/: its process, and its address.
exports.serve = async (...args) => {
  const server = child(process.env.CSPVM, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  let said = ''
  while (!/http:\S+\n/.test(said)) said += await once(server.stdout, 'data')
  return [server, /http:\S+(?=\n)/.exec(said)[0].replace(/\/$/, '')]
}

class Browser {
  constructor(socket) {
    Object.assign(this, { socket, last: 0, waiting: new Map(), listeners: [] })
    socket.on('message', data => {
      const message = JSON.parse(data)
      this.waiting.get(message.id)?.(message)
      this.listeners = this.listeners.filter(listener => !listener(message))
    })
  }

  send(method, params = {}, sessionId = undefined) {
    const id = ++this.last
    this.socket.send(JSON.stringify({ id, method, params, sessionId }))
    return new Promise((resolve, reject) => this.waiting.set(id, ({ error, result }) => {
      this.waiting.delete(id)
      error ? reject(new Error(method + ': ' + error.message)) : resolve(result)
    }))
  }

  // If the page asks for something by `prompt`, it gets that answer.
  async open(url, answer = '') {
    const { targetId } = await this.send('Target.createTarget', { url: 'about:blank' })
    const { sessionId } = await this.send('Target.attachToTarget', { targetId, flatten: true })
    const page = new Page(this, sessionId)
    this.listeners.push(({ method, sessionId: session }) => {
      if (method === 'Page.javascriptDialogOpening' && session === sessionId) {
        page.send('Page.handleJavaScriptDialog', { accept: true, promptText: answer })
      }
    })
    await page.send('Page.enable')
    await page.loads(() => page.send('Page.navigate', { url }))
    return page
  }
}

class Page {
  constructor(browser, session) { Object.assign(this, { browser, session }) }

  send(method, params) { return this.browser.send(method, params, this.session) }

  // The next event of that name. Whoever waits for one asks before it can come.
  event(name) {
    return new Promise(resolve => this.browser.listeners.push(({ method, params, sessionId }) => {
      const is_it = method === name && sessionId === this.session
      if (is_it) resolve(params)
      return is_it
    }))
  }

  // Does something after which the page loads.
  async loads(action) {
    const loaded = this.event('Page.loadEventFired')
    await action()
    await loaded
  }

  async evaluate(expression) {
    const { result, exceptionDetails } = await this.send('Runtime.evaluate',
      { expression, awaitPromise: true, returnByValue: true })
    if (exceptionDetails) throw new Error(exceptionDetails.exception.description)
    return result.value
  }

  async until(expression) {
    while (!await this.evaluate(expression)) await new Promise(resolve => setTimeout(resolve, 20))
  }

  // Types into the field that has got the focus, as a user does.
  async type(text) {
    await this.until(`document.activeElement.matches('input')`)
    await this.send('Input.insertText', { text })
    for (const type of ['keyDown', 'keyUp']) {
      await this.send('Input.dispatchKeyEvent',
        { type, key: 'Enter', code: 'Enter', text: '\r', windowsVirtualKeyCode: 13 })
    }
  }

  async picture() { return Buffer.from((await this.send('Page.captureScreenshot')).data, 'base64') }
}

exports.launch = async () => {
  const browser = child(chromium, [...options('driven'), '--remote-debugging-port=0'],
    { env, stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  while (!/listening on ws:\S+\n/.test(said)) said += await once(browser.stderr, 'data')
  browser.stderr.resume()
  const socket = new WebSocket(/ws:\S+/.exec(said)[0], { perMessageDeflate: false })
  await once(socket, 'open')
  return new Browser(socket)
}

// The width and height of a picture (PNG), and how many colours it has.
exports.look = png => {
  const parts = []
  let at = 8, width, height, channels
  while (at < png.length) {
    const size = png.readUInt32BE(at), kind = png.toString('latin1', at + 4, at + 8)
    const data = png.subarray(at + 8, at + 8 + size)
    if (kind === 'IHDR') {
      [width, height] = [data.readUInt32BE(0), data.readUInt32BE(4)]
      channels = { 2: 3, 6: 4 }[data[9]]
      if (data[8] !== 8 || !channels || data[12]) throw new Error('another kind of PNG')
    }
    if (kind === 'IDAT') parts.push(data)
    at += size + 12
  }
  const lines = zlib.inflateSync(Buffer.concat(parts)), length = width * channels, colours = new Set()
  let above = Buffer.alloc(length)
  for (let y = 0; y < height; y++) {
    const filter = lines[y * (length + 1)], line = lines.subarray(y * (length + 1) + 1, (y + 1) * (length + 1))
    for (let x = 0; x < length; x++) {
      const a = x < channels ? 0 : line[x - channels], b = above[x], c = x < channels ? 0 : above[x - channels]
      const p = a + b - c, pa = Math.abs(p - a), pb = Math.abs(p - b), pc = Math.abs(p - c)
      line[x] += [0, a, b, (a + b) >> 1, pa <= pb && pa <= pc ? a : pb <= pc ? b : c][filter]
    }
    for (let x = 0; x < length; x += channels) colours.add(line.readUIntBE(x, 3))
    above = line
  }
  return { width, height, colours: colours.size }
}

// Runs main, shows what went wrong, and ends all that was started.
exports.test = main => main().catch(error => {
  console.log(error)
  process.exitCode = 1
}).finally(() => process.exit())
