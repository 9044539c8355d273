import { maxTimerMs } from '../model/clock.ts'
import { SyncError } from '../model/errors.ts'

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

export async function waitFor<T>(work: Promise<T>, signal?: AbortSignal): Promise<T> {
  if (signal === undefined) return work
  let stop: (() => void) | undefined
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(abortedError())
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
  })
  try {
    return await Promise.race([work, aborted])
  } finally {
    if (stop !== undefined) signal.removeEventListener('abort', stop)
  }
}

export function abortedError(): SyncError {
  return new SyncError('aborted', 'Stopped before the answer came')
}
