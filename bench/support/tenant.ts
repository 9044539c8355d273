import { once } from 'node:events'
import { join } from 'node:path'
import { startChild } from './child.ts'
import type { TenantContents } from './tenant-answers.ts'

/** The tenants' API while its process runs. */
export interface Tenant extends AsyncDisposable {
  /** Address of the large tenant, without `/api/public`; below `/t/NUMBER` are small ones. */
  readonly origin: string
  /** Replaces the contents of the large tenant; resolves when its pages are built. */
  fill(contents: Omit<TenantContents, 'tenant'>): Promise<void>
}

export async function startTenant(): Promise<Tenant> {
  const child = await startChild<{ port: number }>(join(import.meta.dirname, '../children/tenant.ts'), {})
  return {
    origin: `http://127.0.0.1:${child.ready.port}`,
    async fill(contents) {
      child.process.send({ tenant: 0, ...contents } satisfies TenantContents)
      await once(child.process, 'message')
    },
    [Symbol.asyncDispose]: () => child[Symbol.asyncDispose](),
  }
}
