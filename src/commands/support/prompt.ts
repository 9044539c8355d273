import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { FatalError, UsageError } from '../../model/errors.ts'
import { type Io, print } from '../../model/process/io.ts'
import { printable } from '../../model/text/printable.ts'
import { terminalOf, wrapLine } from '../../report/terminal.ts'

export interface Question {
  readonly text: string
  /** The answer if the line is empty; empty = none. */
  readonly preset: string
  /** A sentence if the answer cannot be used; then the question is asked again. */
  readonly problemOf: (answer: string) => string | null
}

/** Questions and answers on a terminal. */
export interface Prompt {
  say(text: string): void
  /** @throws FatalError when the user stops it, UsageError when the input ends. */
  ask(question: Question): Promise<string>
  [Symbol.dispose](): void
}

/** Null unless both standard input and standard output are a terminal. */
export function openPrompt(io: Io): Prompt | null {
  const { stdin, stdout, stop } = io
  if (stdout.isTTY !== true || !(stdout instanceof Writable)) return null
  const input = stdin?.()
  if (input?.isTTY !== true) return null
  const reader = createInterface({ input, output: stdout, terminal: true, historySize: 0 })
  // Lines that are pasted together wait here for their questions.
  const lines = reader[Symbol.asyncIterator]()
  let isStopped = false
  let isClosed = false
  const end = () => {
    isStopped = true
    reader.close()
  }
  // The terminal is in raw mode: Ctrl-C is a character, not a signal.
  reader.on('SIGINT', end)
  reader.on('close', () => {
    isClosed = true
  })
  stop.addEventListener('abort', end)
  const say = (text: string) => print(io, wrapLine(text, terminalOf(io), 0))
  return {
    say,
    async ask({ text, preset, problemOf }) {
      for (;;) {
        reader.setPrompt(`${text}${preset === '' ? '' : ` [${preset}]`}: `)
        if (!isClosed) reader.prompt()
        const { value, done } = await lines.next()
        if (done === true) {
          stdout.write('\n')
          if (isStopped) throw new FatalError('Stopped before the last answer; nothing was written')
          throw new UsageError('The input ended before the last answer; nothing was written')
        }
        const answer = value.trim() || preset
        const problem = problemOf(answer)
        if (problem === null) return answer
        say(printable(problem))
      }
    },
    [Symbol.dispose]() {
      stop.removeEventListener('abort', end)
      reader.close()
    },
  }
}
