import { expect, it } from 'vitest'
import { openApiDocument } from '../../src/web/openapi.ts'
import { createRoutes } from '../../src/web/routes.ts'
import { closed, sources, startServer, webOptions } from './support/server.ts'

type Json = Readonly<Record<string, unknown>>
interface Described {
  readonly operationId: string
  readonly responses: Readonly<Record<string, { readonly content: Json }>>
}
interface Document extends Json {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>
}

const document = JSON.parse(JSON.stringify(openApiDocument('1.2.3', createRoutes(webOptions())))) as Document

/** Whether the document names the content type of an answer of the server. */
async function isDescribed(origin: string, path: string, init?: RequestInit): Promise<boolean> {
  const response = await fetch(origin + path, init)
  const [operation] = Object.values(document.paths[path.split('?')[0] ?? ''] ?? {})
  const type = response.headers.get('content-type')?.split(';')[0] ?? ''
  // The status page refuses with a page.
  const isPage = path === '/' && type === 'text/html'
  return isPage || operation?.responses[response.ok ? '200' : 'default']?.content[type] !== undefined
}

it('is served under the rules of the other routes, as it is made', async () => {
  await using web = await startServer()
  expect(await (await fetch(`${web.origin}/api/v1/openapi.json`)).json()).toEqual(document)
  await using guarded = await startServer({ users: closed })
  expect((await fetch(`${guarded.origin}/api/v1/openapi.json`)).status).toBe(401)
})

it('is an OpenAPI 3.1 document with the queries of the routes and an own id for every operation', () => {
  expect(document).toMatchObject({ openapi: '3.1.0', info: { title: 'tenantwatch', version: '1.2.3' } })
  expect(document.paths['/api/v1/findings']?.['get']).toMatchObject({
    parameters: expect.arrayContaining([
      expect.objectContaining({ name: 'limit', schema: { type: 'integer', minimum: 1, maximum: 1000 } }),
    ]),
  })
  const ids = Object.values(document.paths).flatMap((methods) => Object.values(methods).map((one) => one.operationId))
  expect(new Set(ids).size).toBe(ids.length)
})

it('names the content types of answers and refusals', async () => {
  await using web = await startServer()
  await using guarded = await startServer({ users: closed })
  await using broken = await startServer({ sources: { ...sources, posture: () => Promise.reject(new Error('x')) } })
  for (const [path, methods] of Object.entries(document.paths)) {
    const method = Object.keys(methods)[0]?.toUpperCase() ?? ''
    for (const { origin } of [web, guarded, broken])
      expect([path, await isDescribed(origin, path, { method })]).toEqual([path, true])
    expect([path, await isDescribed(web.origin, path, { method: 'DELETE' })]).toEqual([path, true])
  }
  expect(await isDescribed(web.origin, '/api/v1/findings?sevrity=high')).toBe(true)
})
