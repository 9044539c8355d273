import { maxTimerMs } from '../../model/clock.ts'

/** A signal that ends one exchange, from connecting to the last byte of the body. */
export interface Deadline extends Disposable {
  readonly signal: AbortSignal
  readonly expired: boolean
}

/** Starts a deadline of `ms` milliseconds that the caller's signal can bring forward; dispose it when the work ends. */
export function startDeadline(ms: number, caller?: AbortSignal): Deadline {
  const controller = new AbortController()
  let expired = false
  const stop = () => controller.abort()
  const timer = setTimeout(
    () => {
      expired = true
      stop()
    },
    Math.min(ms, maxTimerMs),
  )
  if (caller?.aborted === true) stop()
  else caller?.addEventListener('abort', stop, { once: true })
  return {
    signal: controller.signal,
    get expired() {
      return expired
    },
    [Symbol.dispose]() {
      clearTimeout(timer)
      caller?.removeEventListener('abort', stop)
    },
  }
}
