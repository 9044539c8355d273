import { expect, it } from 'vitest'
import { version } from '../../src/model/process/version.ts'
import { openApiDocument } from '../../src/web/openapi.ts'
import { createRoutes } from '../../src/web/routes.ts'
import { closed, startServer, webOptions } from './support/server.ts'

type Json = Readonly<Record<string, unknown>>
interface Described {
  readonly operationId: string
  readonly responses: Readonly<Record<string, { readonly content: Json }>>
}
interface Document extends Json {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>
}

const document = JSON.parse(JSON.stringify(openApiDocument(createRoutes(webOptions())))) as Document

it('is served under the rules of the other routes, as it is made', async () => {
  await using web = await startServer()
  expect(await (await fetch(`${web.origin}/api/v1/openapi.json`)).json()).toEqual(document)
  await using guarded = await startServer({ users: closed })
  expect((await fetch(`${guarded.origin}/api/v1/openapi.json`)).status).toBe(401)
})

it('is an OpenAPI 3.1 document with the queries of the routes and an own id for every operation', () => {
  expect(document).toMatchObject({ openapi: '3.1.0', info: { title: 'tenantwatch', version } })
  expect(document.paths['/api/v1/findings']?.['get']).toMatchObject({
    parameters: expect.arrayContaining([
      expect.objectContaining({ name: 'limit', schema: { type: 'integer', minimum: 1, maximum: 1000 } }),
    ]),
  })
  const ids = Object.values(document.paths).flatMap((methods) => Object.values(methods).map((one) => one.operationId))
  expect(new Set(ids).size).toBe(ids.length)
})
