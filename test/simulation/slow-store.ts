import type { Mirror } from '../../src/store/port.ts'
import type { Prng } from './prng.ts'
import type { Scope, VirtualTime } from './virtual-time.ts'

const immediate: ReadonlySet<string | symbol> = new Set([
  'dataVersion',
  'findings',
  'openDigests',
  'records',
  Symbol.asyncDispose,
])

export interface SlowStoreParts {
  readonly time: VirtualTime
  readonly scope: Scope
  readonly prng: Prng
  /** Called at each await on the store; true when the process dies there. */
  readonly dies: (operation: string, first: unknown) => boolean
  /** Not slow while the process starts, which nothing virtual can wait for. */
  readonly pace: { readonly slow: boolean }
}

/**
 * The mirror with waits around some of its operations, so that everything else can come between any two awaits: other
 * runs, the evaluation, and the end of the process before an operation or right after it.
 */
export function slowStore(store: Mirror, parts: SlowStoreParts): Mirror {
  const { time, scope, prng, pace, dies } = parts
  return new Proxy(store, {
    get(target, name) {
      const operation: unknown = Reflect.get(target, name)
      if (typeof operation !== 'function' || immediate.has(name)) return operation
      return async (...values: readonly unknown[]): Promise<unknown> => {
        if (!pace.slow) return Reflect.apply(operation, target, values)
        const when = prng.next()
        if (dies(String(name), values[0])) return forever()
        if (when < 0.12) await time.sleep(prng.between(1, 40), scope)
        const result: unknown = await Reflect.apply(operation, target, values)
        if (dies(String(name), values[0])) return forever()
        if (when > 0.88) await time.sleep(prng.between(1, 40), scope)
        return result
      }
    },
  })
}

/** A promise that never settles, for a dead process. */
function forever(): Promise<never> {
  return new Promise<never>(() => {})
}
