import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { expect, it } from 'vitest'
import { openApiDocument } from '../../src/web/openapi/document.ts'
import { createRoutes } from '../../src/web/routes.ts'
import { check, posture, unread } from '../metrics/support/posture.ts'
import { acme, finding, globex } from './support/scene.ts'
import { closed, findingsFrom, sources, startServer, type Wanted, webOptions } from './support/server.ts'

type Json = Readonly<Record<string, unknown>>
interface Document extends Json {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Json>> }
}
interface Described {
  readonly operationId: string
  readonly responses: Readonly<
    Record<string, { readonly content: Readonly<Record<string, { readonly schema: Json }>> }>
  >
}

const document = JSON.parse(JSON.stringify(openApiDocument('1.2.3', createRoutes(webOptions())))) as Document

/** Stricter than the document, which allows fields of a later version: one that no schema names is an error. */
const ajv = new Ajv2020({ allErrors: true, strictTypes: false })
formats.default(ajv)
ajv.addSchema(
  JSON.parse(JSON.stringify({ ...document, $id: 'openapi' }), (_, value) =>
    value?.type === 'object' && 'properties' in value ? { ...value, additionalProperties: false } : value,
  ),
  'openapi',
)
ajv.addVocabulary(['openapi', 'info', 'servers', 'security', 'paths', 'components'])

/** Deviations of a value from a schema of the document. */
function problems(value: unknown, schema: Json): readonly string[] {
  const isValid = ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"openapi#/')))
  return isValid(value) === true ? [] : (isValid.errors ?? []).map((error) => `${error.instancePath} ${error.message}`)
}

const hostile = 'a"\u001b[2J\u202e</script>\u0000\ud800'

/** Deviations of an answer of the server from the document; a status it does not name is one. */
async function wrongIn(origin: string, path: string, init?: RequestInit): Promise<readonly string[]> {
  const response = await fetch(origin + path, init)
  const [route = ''] = path.split('?')
  const method = (init?.method ?? 'GET').toLowerCase()
  const [operation] =
    document.paths[route]?.[method] === undefined
      ? Object.values(document.paths[route] ?? {})
      : [document.paths[route][method]]
  const described = operation?.responses[String(response.status)]
  if (described === undefined) return [`${path} answered ${response.status}, which is not described`]
  const type = response.headers.get('content-type')?.split(';')[0] ?? ''
  const content = described.content[type]
  if (content === undefined) return [`${path} answered with ${type}, which is not described`]
  if (type !== 'application/json') return []
  return problems(await response.json(), content.schema)
}

it('describes the limit as a whole number', () => {
  const limit = { name: 'limit', schema: { type: 'integer', minimum: 1, maximum: 1000 } }
  expect(document.paths['/api/v1/findings']?.['get']).toMatchObject({
    parameters: expect.arrayContaining([expect.objectContaining(limit)]),
  })
})

it('is served under the rules of the other routes, as it is made', async () => {
  await using web = await startServer()
  expect(await (await fetch(`${web.origin}/api/v1/openapi.json`)).json()).toEqual(document)
  await using guarded = await startServer({ users: closed })
  expect((await fetch(`${guarded.origin}/api/v1/openapi.json`)).status).toBe(401)
})

it('is an OpenAPI 3.1 document whose references all lead somewhere, with an own id for every operation', () => {
  expect(document).toMatchObject({ openapi: '3.1.0', info: { title: 'tenantwatch', version: '1.2.3' } })
  const refs = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, ref = '']) => ref)
  expect(refs.length).toBeGreaterThan(20)
  for (const ref of refs) expect(document.components.schemas).toHaveProperty(ref.replace('#/components/schemas/', ''))
  const ids = Object.values(document.paths).flatMap((methods) => Object.values(methods).map((one) => one.operationId))
  expect(new Set(ids).size).toBe(ids.length)
  for (const schema of Object.values(document.components.schemas)) expect(schema).toHaveProperty('description')
})

const findings = [
  finding(),
  finding({ state: 'resolved', resolvedAt: '2026-03-14T09:26:00.000Z', resolution: 'fixed', reopened: 3 }),
  finding({
    entity: { type: 'document-name', id: hostile },
    message: hostile,
    evidence: { [hostile]: [hostile, null] },
  }),
]

const scenes: Readonly<Record<string, Wanted>> = {
  'several tenants on an eventful day': { sources: { ...sources, findings: findingsFrom(findings) } },
  'redacted details': { exposeDetails: false, sources: { ...sources, findings: findingsFrom(findings) } },
  'nothing at all': { sources: { ...sources, posture: async () => [], findings: findingsFrom([]) } },
  'a tenant that was never read': {
    sources: {
      ...sources,
      posture: async () => [
        posture({
          resources: [unread('users')],
          checks: [
            check('user-mfa-enrolled', {
              status: 'unknown',
              reason: 'never',
              entities: null,
              evaluatedAt: null,
              since: null,
            }),
          ],
        }),
      ],
    },
  },
  'hostile texts': {
    sources: {
      ...sources,
      posture: async () => [
        {
          ...acme,
          clockSkewMs: -1234.5,
          blockedUntil: acme.at + 1000,
          holds: acme.holds.map((hold) => ({ ...hold, message: hostile })),
        },
        {
          ...globex,
          checks: globex.checks.map((one) => ({ ...one, title: hostile })),
          owner: { replica: hostile, isAlive: true, since: null, heartbeatAgeMs: 1900 },
        },
      ],
    },
  },
}

it.each(Object.keys(scenes))('describes the actual answer: %s', async (name) => {
  await using web = await startServer(scenes[name])
  for (const path of Object.keys(document.paths).filter((one) => one !== '/-/reload')) {
    expect(await wrongIn(web.origin, path)).toEqual([])
  }
  expect(await wrongIn(web.origin, '/api/v1/findings?state=all&severity=high,low')).toEqual([])
  expect(await wrongIn(web.origin, '/-/reload', { method: 'POST' })).toEqual([])
})

it('describes the actual refusals', async () => {
  await using web = await startServer({ users: closed })
  await using broken = await startServer({ sources: { ...sources, posture: () => Promise.reject(new Error('x')) } })
  await using open = await startServer()
  for (const path of Object.keys(document.paths)) {
    const init = path === '/-/reload' ? { method: 'POST' } : {}
    expect(await wrongIn(web.origin, path, init)).toEqual([])
    expect(await wrongIn(broken.origin, path, init)).toEqual([])
    expect(await wrongIn(open.origin, path, { method: 'DELETE' })).toEqual([])
  }
  expect(await wrongIn(open.origin, '/api/v1/findings?sevrity=high')).toEqual([])
  const unready = { ok: false, text: 'No' }
  await using bad = await startServer({
    sources: { ...sources, health: () => unready, ready: () => unready, reload: async () => unready },
  })
  for (const path of ['/healthz', '/readyz']) expect(await wrongIn(bad.origin, path)).toEqual([])
  expect(await wrongIn(bad.origin, '/-/reload', { method: 'POST' })).toEqual([])
})

it.each([
  { severity: 'severe' },
  { firstSeen: 'yesterday' },
  { reopened: -1 },
  { entity: { type: 'user' } },
  { color: 'red' },
  { message: null },
])('is compared with answers by a validator that finds %j', (over) => {
  const schema = { $ref: '#/components/schemas/Finding' }
  expect(problems(JSON.parse(JSON.stringify(finding())), schema)).toEqual([])
  expect(problems({ ...finding(), ...over }, schema)).toHaveLength(1)
})
