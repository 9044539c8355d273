import { Socket } from 'node:net'

/** Of a connection that the driver reads: an answer that it cannot read breaks the connection, instead of the process. */
export class GuardedSocket extends Socket {
  override emit(event: string | symbol, ...given: unknown[]): boolean {
    if (event !== 'data') return super.emit(event, ...given)
    try {
      return super.emit(event, ...given)
    } catch (cause) {
      const message = 'The answer of the server is not of its protocol'
      this.destroy(Object.assign(new Error(message, { cause }), { code: '08P01' }))
      return true
    }
  }
}
