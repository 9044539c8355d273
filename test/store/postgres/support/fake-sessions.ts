import type { Answer, Sessions } from '../../../../src/store/postgres/session.ts'
import type { Timing } from '../../../../src/store/postgres/transaction.ts'

type Reply = Answer | Error | 'never'

/** Answers by the text sent, in the order sent, each in a later turn; tells apart what was sent before an answer. */
export function fakeSessions(replyTo: (text: string, times: number) => Reply = () => ({ rows: [] })) {
  const events: string[] = []
  const times = new Map<string, number>()
  let last: Promise<unknown> = Promise.resolve()
  function send(text: string): Promise<Answer> {
    const word = text.includes('set_config') ? 'limits' : (text.split(' ')[0] ?? '')
    events.push(word)
    times.set(word, (times.get(word) ?? 0) + 1)
    const reply = replyTo(word, times.get(word) ?? 0)
    const answered = last.then(async () => {
      await new Promise((resolve) => setImmediate(resolve))
      if (reply === 'never') return await new Promise<never>(() => {})
      events.push(`<${word}`)
      if (reply instanceof Error) throw reply
      return word === 'limits' && reply.rows.length === 0 ? { rows: ['1 origin'] } : reply
    })
    last = answered.catch(() => {})
    return answered
  }
  const sessions: Sessions = {
    async take() {
      return {
        send: ({ text }) => send(text),
        sendText: send,
        release: (broken) => void events.push(broken ? 'close' : 'release'),
      }
    },
    async [Symbol.asyncDispose]() {},
  }
  return { sessions, events }
}

export const quiet: Timing = { clock: { sleep: waitForAbort }, random: () => 0.5 }

export function waitForAbort(_: number, signal?: AbortSignal): Promise<void> {
  return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
}
