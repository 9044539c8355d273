import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { VirtualTime } from './virtual-time.ts'

it('keeps nothing of a life whose waits were cut off by its end', async () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const turn = () => new Promise((resolve) => setImmediate(resolve))
  const waits: WeakRef<object>[] = []
  const live = () => {
    const time = new VirtualTime(0)
    const scope = { dead: false, bornAt: 0, kept: new Array(1000).fill(waits.length) }
    // As of a full sync: a signal that hangs on two others and that something still waits on when its process is dead.
    const signal = AbortSignal.any([new AbortController().signal, new AbortController().signal])
    void time.sleep(1000, scope, signal)
    waits.push(new WeakRef(scope))
    time.end()
  }
  for (let i = 0; i < 20; i++) {
    live()
    await turn()
  }
  await turn()
  collect()
  expect(waits.filter((wait) => wait.deref() !== undefined)).toHaveLength(0)
})
