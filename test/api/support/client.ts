import { onTestFinished } from 'vitest'
import { createTenantClient, type TenantClient } from '../../../src/api/client.ts'
import type { ApiOptions, TenantClientOptions } from '../../../src/api/options.ts'
import type { TenantObserver } from '../../../src/api/reader.ts'
import { type FakeClock, fakeClock } from '../../support/fake-clock.ts'

export const token = 'CANARY-token-31415926535'

export interface TestClient {
  readonly client: TenantClient
  readonly clock: FakeClock
  /** `endpoint status` of each request, `retry reason`. */
  readonly observed: string[]
  /** Each failed request. */
  readonly failed: string[]
}

export type Overrides = Partial<Omit<TenantClientOptions, 'api'>> & { readonly api?: Partial<ApiOptions> }

const defaultApi: ApiOptions = {
  pageSizeParameter: null,
  pageSize: 200,
  timeoutMs: 5000,
  maxBodyBytes: 8 * 2 ** 20,
  requestsPerSecond: 0,
  proxy: null,
  caFile: null,
}

/** A client of the tenant behind this address, with a clock that jumps over waits; it ends with the test. */
export function testClient(baseUrl: string, { api, ...rest }: Overrides = {}): TestClient {
  const clock = fakeClock(Date.UTC(2026, 0, 15))
  const observed: string[] = []
  const failed: string[] = []
  const observer: TenantObserver = {
    request: (endpoint, status) => observed.push(`${endpoint} ${status}`),
    failed: (status) => failed.push(status),
    retry: (reason) => observed.push(`retry ${reason}`),
  }
  const client = createTenantClient({
    name: 'acme',
    baseUrl,
    auth: { header: 'Authorization', scheme: 'Bearer', token: { env: 'TOKEN' } },
    api: { ...defaultApi, ...api },
    clock,
    random: () => 0.5,
    env: (name) => (name === 'TOKEN' ? token : undefined),
    observer,
    ...rest,
  })
  onTestFinished(() => client[Symbol.asyncDispose]())
  return { client, clock, observed, failed }
}
