import * as z from 'zod'
import { anyHostPaths } from '../access-control.ts'
import './command-schemas.ts'
import { type Body, type Operation, operations, type Parameter } from './operations.ts'
import { components, error } from './schemas.ts'

type Json = Readonly<Record<string, unknown>>

const jsonType = 'application/json'
const root = '#/components/schemas/'

const refusals: Readonly<Record<number, string>> = {
  401: 'Authentication required',
  403: 'A client certificate is required, or the route is limited to loopback',
  405: 'Method not allowed',
  421: 'The Host header is not an IP address, localhost or a name of server.allowedHosts',
  500: 'Internal error: see the log',
  503: 'The database cannot be read now, or too many requests or password checks are pending: retry after Retry-After seconds',
}

const openRefusals: ReadonlySet<string> = new Set(['405', '500'])

export function openApiDocument(version: string): Json {
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
    paths: Object.fromEntries(
      operations.map((operation) => [operation.path, { [operation.method]: described(operation) }]),
    ),
    components: {
      schemas: schemas(),
      securitySchemes: {
        basicAuth: { type: 'http', scheme: 'basic', description: 'basic_auth_users of server.webConfig' },
        clientCertificate: { type: 'mutualTLS', description: 'client_ca_file of server.webConfig' },
      },
    },
  }
}

function described({ id, summary, path, parameters = [], body, refusals: own = {}, open = false }: Operation): Json {
  const common = Object.entries(refusals).filter(
    ([status]) => (!open || openRefusals.has(status)) && (status !== '421' || !anyHostPaths.has(path)),
  )
  const refused: Readonly<Record<string, string>> = { ...Object.fromEntries(common), ...own }
  return {
    operationId: id,
    summary,
    ...(parameters.length > 0 && { parameters: parameters.map(parameter) }),
    responses: {
      200: { description: 'json' in body ? summary : body.description, content: contentOf(body) },
      ...Object.fromEntries(
        Object.entries(refused).map(([status, description]) => [
          status,
          {
            description,
            content: contentOf(
              path.startsWith('/api/')
                ? { json: error }
                : { type: path === '/' && status in own ? 'text/html' : 'text/plain', description },
            ),
          },
        ]),
      ),
    },
    ...(open && { security: [] }),
  }
}

function contentOf(body: Body): Json {
  if (!('json' in body))
    return {
      [body.type]: {
        schema: body.type === jsonType ? { type: 'object', additionalProperties: {} } : { type: 'string' },
      },
    }
  const $ref = `${root}${components.get(body.json)?.id}`
  return { [jsonType]: { schema: body.many === true ? { type: 'array', items: { $ref } } : { $ref } } }
}

function parameter({ name, description, values, default: value, range }: Parameter): Json {
  const items = range
    ? { type: 'integer', minimum: range[0], maximum: range[1] }
    : { type: 'string', ...(values !== undefined && { enum: values }) }
  const schema =
    values === undefined ? items : { type: 'array', items, ...(value !== undefined && { default: [value] }) }
  return { name, in: 'query', description, schema, ...(values !== undefined && { style: 'form', explode: false }) }
}

function schemas(): Json {
  const made = z.toJSONSchema(components, {
    uri: (id) => `${root}${id}`,
    override({ zodSchema, jsonSchema }) {
      const described = components.get(zodSchema)
      if (described !== undefined) jsonSchema.description ??= described.description
      // Clients must accept fields that a later version adds.
      if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties
      if (jsonSchema.format === 'date-time') delete jsonSchema.pattern
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
    },
  })
  return Object.fromEntries(Object.entries(made.schemas).map(([id, { $schema, $id, ...schema }]) => [id, schema]))
}
