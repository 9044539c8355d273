import type { Io } from '../../model/process/io.ts'

const everyMs = 200

/** One line on the terminal that tells how far long work is; nothing where nobody watches. */
export interface StatusLine {
  /** Says it unless it said something a moment ago. */
  show(text: () => string): void
  say(text: string): void
  clear(): void
}

export function statusLine({ stderr, clock }: Io): StatusLine {
  let shownAt = Number.NEGATIVE_INFINITY
  const watched = stderr.isTTY === true
  const write = (text: string) => {
    if (watched) stderr.write(`\r\u001b[K${text.slice(0, (stderr.columns ?? 80) - 1)}`)
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
