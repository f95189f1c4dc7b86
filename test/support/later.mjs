// Loaded before a program of ours by `--import`: its wall clock is LATER_FROM_MS ahead, and goes on by LATER_BY_MS each time that it gets
// SIGUSR2, as when the clock of the machine is set. Timers and the monotonic clock stay as they are.

const step = Number(process.env['LATER_BY_MS'] ?? 0)
const RealDate = globalThis.Date
let ahead = Number(process.env['LATER_FROM_MS'] ?? 0)

class LaterDate extends RealDate {
  constructor(...args) {
    if (args.length === 0) super(RealDate.now() + ahead)
    else super(...args)
  }

  static now() {
    return RealDate.now() + ahead
  }
}

globalThis.Date = LaterDate
process.on('SIGUSR2', () => {
  ahead += step
})
