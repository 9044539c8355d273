import * as z from 'zod'
import { version } from '../model/process/version.ts'
import { openPaths } from './access-control.ts'
import type { Route } from './route.ts'

type Json = Readonly<Record<string, unknown>>

const refused =
  '400: an unknown parameter or value, or a parameter given twice. 401: authentication required. 403: a client certificate is required, or the route is limited to loopback. 404: no such tenant, path or runbook. 405: another method. 421: the Host header is not an IP address, localhost or a name of server.allowedHosts. 500: see the log. 503: the database cannot be read now, retry after Retry-After seconds; the engine is not healthy or ready.'

export function openApiDocument(routes: readonly Route[]): Json {
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
      200: { description: body.description, content: { [body.type]: {} } },
      default: {
        description: refused,
        content: { [path.startsWith('/api/') ? 'application/json' : 'text/plain']: {} },
      },
    },
    ...(openPaths.has(path) && { security: [] }),
  }
}

function parameter(name: string, type: z.core.$ZodType): Json {
  const { $schema, description, ...schema } = z.toJSONSchema(type, { unrepresentable: 'any' })
  return { name, in: 'query', description, schema, ...(schema.type === 'array' && { style: 'form', explode: false }) }
}
