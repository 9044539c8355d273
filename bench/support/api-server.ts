import { once } from 'node:events'
import type { Requests } from '../children/server.ts'
import type { WorldState } from './api-world.ts'
import { start } from './child.ts'

/** The tenant's API as a process of its own, all its answers ready. */
export interface ApiServer extends AsyncDisposable {
  /** Address without `/api/public`; below `/t/NUMBER` are small tenants. */
  readonly origin: string
  /** Makes the big tenant another one; answered when its pages are built. */
  become(state: WorldState): Promise<void>
  /** What was asked since the last call. */
  requests(): Promise<Requests>
}

export async function startApiServer(script: string): Promise<ApiServer> {
  const child = start(script, [], {})
  child.stderr?.pipe(process.stderr)
  const [{ port }] = (await once(child, 'message')) as [{ port: number }]
  const origin = `http://127.0.0.1:${port}`
  const control = async (path: string) => (await fetch(`${origin}/bench/${path}`)).json()
  let known = ''
  return {
    origin,
    async become(state) {
      const wanted = JSON.stringify(state)
      if (wanted !== known) await control(`become?${encodeURIComponent(wanted)}`)
      known = wanted
    },
    requests: async () => (await control('requests')) as Requests,
    async [Symbol.asyncDispose]() {
      child.kill()
      await once(child, 'close')
    },
  }
}
