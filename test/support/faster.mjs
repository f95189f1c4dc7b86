// Loaded before a program of ours by `--import`: at each SIGUSR2 its time begins to run FASTER_BY times as fast, or again as usual. Wall clock,
// monotonic clock and timers go together, so that the program itself cannot tell. AHEAD_BY_MS is how far its time is ahead when it begins.

const fast = Number(process.env['FASTER_BY'])
const real = { Date: globalThis.Date, setTimeout, clearTimeout, now: performance.now.bind(performance) }
const startWallMs = real.Date.now()
const startNs = process.hrtime.bigint()
const startMs = real.now()

let rate = 1
/** Where the two times last parted, in milliseconds since the program began. */
let anchor = { real: 0, told: Number(process.env['AHEAD_BY_MS'] ?? 0) }
const realMs = () => real.now() - startMs
const toldMs = () => anchor.told + (realMs() - anchor.real) * rate

class FasterDate extends real.Date {
  constructor(...args) {
    if (args.length === 0) super(FasterDate.now())
    else super(...args)
  }

  static now() {
    return Math.floor(startWallMs + toldMs())
  }
}
globalThis.Date = FasterDate
performance.now = () => startMs + toldMs()
process.hrtime.bigint = () => startNs + BigInt(Math.round(toldMs() * 1e6))

const pending = new Set()

class Timer {
  constructor(work, delayMs, args, repeats) {
    this.work = () => work(...args)
    this.delayMs = Math.max(1, Number(delayMs) || 1)
    this.repeats = repeats
    this.isReferenced = true
    this.refresh()
  }

  refresh() {
    this.due = toldMs() + this.delayMs
    return this.arm()
  }

  arm() {
    real.clearTimeout(this.timer)
    pending.add(this)
    this.timer = real.setTimeout(() => this.fire(), Math.max(0, this.due - toldMs()) / rate)
    if (!this.isReferenced) this.timer.unref()
    return this
  }

  fire() {
    pending.delete(this)
    if (this.repeats) {
      this.due = Math.max(this.due + this.delayMs, toldMs() - this.delayMs)
      this.arm()
    }
    this.work()
  }

  cancel() {
    real.clearTimeout(this.timer)
    pending.delete(this)
  }

  ref() {
    this.isReferenced = true
    this.timer.ref()
    return this
  }

  unref() {
    this.isReferenced = false
    this.timer.unref()
    return this
  }

  hasRef() {
    return this.isReferenced
  }

  [Symbol.dispose]() {
    this.cancel()
  }
}

const cancel = (timer) => (timer instanceof Timer ? timer.cancel() : real.clearTimeout(timer))
globalThis.setTimeout = (work, delayMs, ...args) => new Timer(work, delayMs, args, false)
globalThis.setInterval = (work, delayMs, ...args) => new Timer(work, delayMs, args, true)
globalThis.clearTimeout = cancel
globalThis.clearInterval = cancel

process.on('SIGUSR2', () => {
  anchor = { told: toldMs(), real: realMs() }
  rate = rate === 1 ? fast : 1
  for (const timer of pending) timer.arm()
})
