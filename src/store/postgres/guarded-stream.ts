import type { Duplex } from 'node:stream'

/** Destroys the stream if the driver cannot parse its data; the error would otherwise end the process. */
export function guardedStream<Stream extends Duplex>(stream: Stream): Stream {
  const emit = stream.emit.bind(stream) as (event: string | symbol, ...given: unknown[]) => boolean
  stream.emit = (event: string | symbol, ...given: unknown[]) => {
    if (event !== 'data') return emit(event, ...given)
    try {
      return emit(event, ...given)
    } catch (cause) {
      const error = new Error('Invalid protocol message from the server', { cause })
      stream.destroy(Object.assign(error, { code: '08P01' }))
      return true
    }
  }
  return stream
}
