import * as z from 'zod'
import { anyHostPaths, openPaths } from '../access-control.ts'
import type { Body, Route } from '../route.ts'
import { components, error } from './schemas.ts'

type Json = Readonly<Record<string, unknown>>

const root = '#/components/schemas/'

const refusals: Readonly<Record<number, string>> = {
  401: 'Authentication required',
  403: 'A client certificate is required, or the route is limited to loopback',
  405: 'Method not allowed',
  421: 'The Host header is not an IP address, localhost or a name of server.allowedHosts',
  500: 'Internal error: see the log',
  503: 'The database cannot be read now: retry after Retry-After seconds',
}

const openRefusals: ReadonlySet<string> = new Set(['405', '500'])

export function openApiDocument(version: string, routes: readonly Route[]): Json {
  return {
    openapi: '3.1.0',
    info: {
      title: 'tenantwatch',
      version,
      description:
        'Data that a tenantwatch daemon mirrors and evaluates. Every GET route also answers HEAD. Names of persons, e-mails and file names are shown as server.exposeDetails says, by default on loopback or behind authentication only. Fields may be added within v1.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    // The empty alternative: server.webConfig decides whether authentication is required.
    security: [{}, { basicAuth: [] }, { clientCertificate: [] }],
    paths: Object.fromEntries(routes.map((route) => [route.path, { [route.method.toLowerCase()]: described(route) }])),
    components: {
      schemas: schemas(),
      securitySchemes: {
        basicAuth: { type: 'http', scheme: 'basic', description: 'basic_auth_users of server.webConfig' },
        clientCertificate: { type: 'mutualTLS', description: 'client_ca_file of server.webConfig' },
      },
    },
  }
}

function described({ id, summary, path, query, body, refusals: own = {} }: Route): Json {
  const isOpen = openPaths.has(path)
  const common = Object.entries(refusals).filter(
    ([status]) => (!isOpen || openRefusals.has(status)) && (status !== '421' || !anyHostPaths.has(path)),
  )
  const refused: Readonly<Record<string, string>> = { ...Object.fromEntries(common), ...own }
  const parameters = Object.entries(query?.shape ?? {}).map(([name, schema]) => parameter(name, schema))
  const answers = Object.entries(refused).map(([status, description]) => [
    status,
    { description, content: contentOf(refusalBody(path, description, status in own)) },
  ])
  return {
    operationId: id,
    summary,
    ...(parameters.length > 0 && { parameters }),
    responses: {
      200: { description: 'json' in body ? summary : body.description, content: contentOf(body) },
      ...Object.fromEntries(answers),
    },
    ...(isOpen && { security: [] }),
  }
}

function refusalBody(path: string, description: string, isOwn: boolean): Body {
  if (path.startsWith('/api/')) return { json: error }
  return { type: path === '/' && isOwn ? 'text/html' : 'text/plain', description }
}

function contentOf(body: Body): Json {
  if (!('json' in body)) return { [body.type]: { schema: body.type === 'application/json' ? {} : { type: 'string' } } }
  const $ref = `${root}${components.get(body.json)?.id}`
  return { 'application/json': { schema: body.many === true ? { type: 'array', items: { $ref } } : { $ref } } }
}

function parameter(name: string, type: z.core.$ZodType): Json {
  const { $schema, description, ...schema } = z.toJSONSchema(type, { unrepresentable: 'any' })
  return { name, in: 'query', description, schema, ...(schema.type === 'array' && { style: 'form', explode: false }) }
}

function schemas(): Json {
  const made = z.toJSONSchema(components, {
    uri: (id) => `${root}${id}`,
    override({ zodSchema, jsonSchema }) {
      const known = components.get(zodSchema)
      if (known !== undefined) jsonSchema.description ??= known.description
      // Clients must accept fields that a later version adds.
      if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties
      if (jsonSchema.format === 'date-time') delete jsonSchema.pattern
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
    },
  })
  return Object.fromEntries(Object.entries(made.schemas).map(([id, { $schema, $id, ...schema }]) => [id, schema]))
}
