import { readFileSync } from 'node:fs'

/**
 * Preloaded with `--import`: moves the wall clock of a process by the milliseconds that the file `CLOCK_OFFSET` holds,
 * from one reading to the next, as an operator or NTP does. Monotonic time and timers continue.
 */
const file = process.env.CLOCK_OFFSET
const SystemDate = Date
const systemNow = Date.now.bind(Date)

function offsetMs() {
  try {
    return Number(readFileSync(file, 'utf8')) || 0
  } catch {
    return 0
  }
}

globalThis.Date = class MovedDate extends SystemDate {
  constructor(...args) {
    if (args.length === 0) super(systemNow() + offsetMs())
    else super(...args)
  }
  static now() {
    return systemNow() + offsetMs()
  }
}
