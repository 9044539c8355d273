import type { Sessions } from '../../../../src/store/postgres/session.ts'

export interface Watch {
  /** Texts sent, in order. */
  readonly sent: string[]
  /** Connections taken and not yet returned. */
  taken: number
  /** Called before each text is sent; what it throws is the answer. */
  onSend: (text: string) => void
}

/** Connections on which a test sees what is sent, and makes it fail. */
export function watchedSessions(inner: Sessions): Sessions & { readonly watch: Watch } {
  const watch: Watch = { sent: [], taken: 0, onSend: () => {} }
  const sending = async <T>(text: string, send: () => Promise<T>): Promise<T> => {
    watch.sent.push(text)
    watch.onSend(text)
    return await send()
  }
  return {
    watch,
    async take() {
      const session = await inner.take()
      watch.taken++
      return {
        send: (statement, params) => sending(statement.text, () => session.send(statement, params)),
        sendText: (text) => sending(text, () => session.sendText(text)),
        release(broken) {
          watch.taken--
          session.release(broken)
        },
      }
    },
    [Symbol.asyncDispose]: () => inner[Symbol.asyncDispose](),
  }
}
