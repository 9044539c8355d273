import { expect, it } from 'vitest'
import type { OwnerView } from '../../src/model/posture.ts'
import { openApiDocument } from '../../src/web/openapi/document.ts'
import { at, posture } from '../metrics/support/posture.ts'
import { ask } from './support/ask.ts'
import { problems } from './support/json-schema.ts'
import { sources, webOptions } from './support/server.ts'

const alive: OwnerView = {
  replica: 'pod-a/4k2j9x7f1-0z3',
  isAlive: true,
  heartbeatAgeMs: 1900,
  since: at - 7_200_000,
}
const dead: OwnerView = { ...alive, isAlive: false, heartbeatAgeMs: 43_000, since: at - 43_000 }
const nobody: OwnerView = { replica: null, isAlive: false, heartbeatAgeMs: null, since: null }

/** The body of a path when the tenants have these owners; undefined = SQLite. */
async function body(path: string, ...owners: readonly (OwnerView | undefined)[]): Promise<string> {
  const names = owners.map((_, n) => `t${n + 1}`)
  const postures = owners.map((owner, n) => ({ ...posture({ tenant: names[n] ?? '' }), ...(owner && { owner }) }))
  const own = { ...sources, names: () => ({ tenants: names, checks: [] }), posture: async () => postures }
  return (await ask(webOptions({ sources: own }), path)).text
}

const textOf = (html: string) =>
  html
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .replace(/ ([,;.])/g, '$1')

it('names the replica that owns a tenant, and the age of its heartbeat', async () => {
  const html = await body('/', alive)
  expect(textOf(html)).toContain(
    'Owned by replica pod-a/4k2j9x since 2026-03-14 07:26 UTC, 2 h ago; last heartbeat 1 s ago.',
  )
  expect(html).toContain('title="pod-a/4k2j9x7f1-0z3"')
})

it('says since when no replica owns a tenant, and which was the last', async () => {
  const [left, never] = [{ ...nobody, since: at - 5000 }, nobody]
  expect(textOf(await body('/', dead))).toContain(
    'No replica owns this tenant since 2026-03-14 09:26 UTC, 43 s ago. It is not synced and not evaluated until one does. Its last owner was pod-a/4k2j9x; last heartbeat 43 s ago.',
  )
  expect(textOf(await body('/', left))).toContain('No replica owns this tenant since 2026-03-14 09:26 UTC, 5 s ago. It')
  expect(textOf(await body('/', never))).toContain('No replica owns this tenant. It is')
})

it('has the owner in the status of the JSON API, as described', async () => {
  const document = JSON.parse(JSON.stringify(openApiDocument('1.2.3', [])))
  const status = JSON.parse(await body('/api/v1/status', alive, dead, nobody))
  expect(problems(status, document.components.schemas.Status, document)).toEqual([])
  expect(status.tenants.map(({ owner }: { owner: object }) => owner)).toEqual([
    { replica: alive.replica, alive: true, since: '2026-03-14T07:26:53.000Z', heartbeatAgeSeconds: 1.9 },
    { replica: alive.replica, alive: false, since: '2026-03-14T09:26:10.000Z', heartbeatAgeSeconds: 43 },
    { replica: null, alive: false, since: null, heartbeatAgeSeconds: null },
  ])
})
