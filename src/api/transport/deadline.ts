import { maxTimerMs } from '../../model/clock.ts'

export interface Deadline extends Disposable {
  readonly signal: AbortSignal
  readonly expired: boolean
}

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
