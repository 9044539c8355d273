import * as z from 'zod'
import { openPaths } from '../access-control.ts'
import type { Body, Route } from '../route.ts'
import { components, error } from './schemas.ts'

type Json = Readonly<Record<string, unknown>>

const root = '#/components/schemas/'

const refused =
  '400: an unknown parameter or value, or a parameter given twice. 401: authentication required. 403: a client certificate is required, or the route is limited to loopback. 404: no such tenant, path or runbook. 405: another method. 421: the Host header is not an IP address, localhost or a name of server.allowedHosts. 500: see the log. 503: the database cannot be read now, retry after Retry-After seconds; the engine is not healthy or ready.'

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
      responses: {
        RefusedInJson: { description: refused, content: contentOf({ json: error }) },
        RefusedInText: { description: refused, content: { 'text/plain': { schema: {} }, 'text/html': { schema: {} } } },
      },
      securitySchemes: {
        basicAuth: { type: 'http', scheme: 'basic', description: 'basic_auth_users of server.webConfig' },
        clientCertificate: { type: 'mutualTLS', description: 'client_ca_file of server.webConfig' },
      },
    },
  }
}

function described({ id, summary, path, query, body }: Route): Json {
  const parameters = Object.entries(query?.shape ?? {}).map(([name, schema]) => parameter(name, schema))
  return {
    operationId: id,
    summary,
    ...(parameters.length > 0 && { parameters }),
    responses: {
      200: { description: 'json' in body ? summary : body.description, content: contentOf(body) },
      default: { $ref: `#/components/responses/RefusedIn${path.startsWith('/api/') ? 'Json' : 'Text'}` },
    },
    ...(openPaths.has(path) && { security: [] }),
  }
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
