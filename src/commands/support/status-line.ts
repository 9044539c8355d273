import type { Io } from '../../model/process/io.ts'

const everyMs = 200

/** A progress line on the terminal; writes nothing elsewhere. */
export interface StatusLine {
  /** Shows a text, at most every 200 ms. */
  show(text: () => string): void
  say(text: string): void
  clear(): void
}

export function statusLine({ stderr, clock }: Io): StatusLine {
  let shownAt = Number.NEGATIVE_INFINITY
  const isTerminal = stderr.isTTY === true
  const write = (text: string) => {
    if (isTerminal) stderr.write(`\r\u001b[K${text.slice(0, (stderr.columns ?? 80) - 1)}`)
  }
  return {
    show(text) {
      const now = clock.monotonic()
      if (now - shownAt < everyMs) return
      shownAt = now
      write(text())
    },
    say: write,
    clear: () => write(''),
  }
}
