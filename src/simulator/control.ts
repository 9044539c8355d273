import leven from 'leven'
import * as z from 'zod'
import { faultSchema } from './faults.ts'
import { fieldsOf, permissionCodes, type ResourceName, resourceNames } from './fields.ts'
import { tenantNames, tokenNames } from './seed-access.ts'
import type { Service } from './simulator.ts'
import type { Reply } from './wire.ts'

/** An invalid control request. */
class ControlError extends Error {
  readonly status: 400 | 404

  constructor(status: 400 | 404, message: string) {
    super(message)
    this.status = status
  }
}

interface Example {
  readonly path?: string
  readonly body?: object
  /** Description, if the name is not enough. */
  readonly about?: string
  /** The effect that tenantwatch shows. */
  readonly shows?: string
}

interface Action {
  /** Such as `POST /faults`; further segments of the path go to `run`. */
  readonly name: string
  readonly schema?: z.ZodType
  readonly examples: readonly Example[]
  readonly run: (simulator: Service, body: unknown, segments: readonly string[]) => unknown
}

/** An action with a body that fits the schema. */
function withBody<S extends z.ZodType>(
  name: string,
  schema: S,
  run: (simulator: Service, body: z.output<S>) => unknown,
  examples: readonly Example[],
): Action {
  return { name, schema, examples, run: (simulator, body) => run(simulator, parsed(schema, body)) }
}

function parsed<S extends z.ZodType>(schema: S, value: unknown, place = 'body'): z.output<S> {
  const { data, error } = schema.safeParse(value)
  if (error === undefined) return data
  const problems = error.issues.map(({ path, message }) => `${path.join('.') || place}: ${message}`)
  throw new ControlError(400, problems.join('; '))
}

const tenant = z.enum(tenantNames)
const fields = z.record(z.string(), z.unknown()).default({})

const mutation = z.strictObject({
  tenant: tenant.default('primary'),
  resource: z.enum(resourceNames),
  op: z.enum(['add', 'update', 'remove']),
  id: z.union([z.string(), z.number()]).optional(),
  fields,
})

interface Changeable {
  add(fields: object): object
  update(id: number | string, fields: object): object
  remove(id: number | string): boolean
}

/** Changes the data of a tenant, as its portal would. */
function mutate(simulator: Service, { tenant, resource, op, id, fields }: z.output<typeof mutation>): unknown {
  const resources: Readonly<Record<ResourceName, Changeable>> = simulator[tenant].resources
  const { add, update, remove } = resources[resource]
  const isSingle = resource === 'authentication-settings'
  if (op !== 'update' && isSingle)
    throw new ControlError(400, `${resource} cannot be ${op === 'add' ? 'added' : 'removed'}`)
  assertFields(resource, fields)
  try {
    if (op === 'add') return { record: add(fields) }
    if (id === undefined && !isSingle)
      throw new ControlError(400, `id: expected that of a record in GET /state/${tenant}/${resource}`)
    if (op === 'update') return { record: update(id ?? 0, fields) }
    if (!remove(id ?? 0)) throw new RangeError(`There is no record ${id} of ${resource}`)
    return { removed: true }
  } catch (error) {
    throw error instanceof RangeError ? new ControlError(404, error.message) : error
  }
}

/** Misspelled, a field would change nothing that a check reads. */
function assertFields(resource: ResourceName, fields: Readonly<Record<string, unknown>>): void {
  const names = Object.keys(fieldsOf[resource])
  for (const name of Object.keys(fields)) {
    if (name === 'raw' || names.includes(name)) continue
    const near = names.toSorted((a, b) => leven(a, name) - leven(b, name))
    throw new ControlError(
      400,
      `fields.${name}: ${resource} has no such field; did you mean ${near[0]}? Its fields are ${names.join(', ')}; others go into fields.raw`,
    )
  }
}

const tokenChange = z.strictObject({
  token: z.enum(tokenNames),
  action: z.enum(['swap', 'revoke', 'restore', 'rotate', 'grant', 'deny']),
  permission: z.enum(permissionCodes).optional(),
})

function changeToken(simulator: Service, { token, action, permission }: z.output<typeof tokenChange>): unknown {
  const credential = simulator.credentials[token]
  if (action === 'swap') simulator.swapTenant(token)
  else if (action === 'rotate') simulator.rotateToken(token)
  else if (action === 'revoke' || action === 'restore') credential.isRevoked = action === 'revoke'
  else if (permission === undefined) throw new ControlError(400, `permission: expected for ${action}`)
  else if (action === 'grant') credential.permissions.add(permission)
  else credential.permissions.delete(permission)
  return { token, value: simulator.tokens[token] }
}

const actions: readonly Action[] = [
  {
    name: 'GET /',
    examples: [{}],
    run: () => ({
      actions: actions.map(({ name, examples, schema }) => ({
        action: name,
        examples: examples.map(({ path = name.split(' ')[1], ...example }) => ({ path, ...example })),
        ...(schema && { body: z.toJSONSchema(schema, { io: 'input' }) }),
      })),
    }),
  },
  {
    name: 'GET /state',
    examples: [{ path: '/state/primary/roles', about: 'the records of /state/<tenant>/<resource>' }],
    run(simulator, _body, [name, resource]) {
      const { resources } = simulator[parsed(tenant, name, 'tenant in /state/<tenant>/<resource>')]
      const place = 'resource in /state/<tenant>/<resource>'
      return resources[parsed(z.enum(resourceNames), resource, place)].all()
    },
  },
  withBody('POST /mutate', mutation, mutate, [
    { body: { resource: 'users', op: 'add', fields: { firstName: 'Ada', mfaStatus: false } } },
    {
      body: { resource: 'users', op: 'add', fields: { firstName: 'Ada', raw: { mfaStatus: 'no', nickname: 'A' } } },
      about: 'raw: values of a wrong type and fields that the API does not have, shown as they are',
    },
    { body: { resource: 'authentication-settings', op: 'update', fields: { ssoEnforced: false } } },
    {
      body: { tenant: 'primary', resource: 'users', op: 'remove', id: 1001 },
      about: 'id: that of the record in GET /state/<tenant>/<resource>; one record a request',
    },
  ]),
  { name: 'GET /faults', examples: [{}], run: ({ faults }) => faults.list() },
  withBody('POST /faults', faultSchema, ({ faults }, fault) => faults.add(fault), [
    {
      body: { path: '/api/public/users', effect: { kind: 'drop', ids: [1002, 1003, 1004] } },
      about: 'leaves many records out of a list at once, until DELETE /faults; reading one by its id still finds it',
    },
    { body: { path: '/api/public/users', times: 3, effect: { kind: 'status', status: 500 } } },
    {
      body: { path: '/api/public/users', effect: { kind: 'empty' } },
      shows: 'a hold, shrink_held of users, after the next full sync; it ends after DELETE /faults',
    },
  ]),
  {
    name: 'DELETE /faults',
    examples: [{ about: 'removes all, or one: /faults/<id>' }],
    run({ faults }, _body, [id]) {
      if (id === undefined) faults.clear()
      else if (!faults.remove(id)) throw new ControlError(404, `There is no fault ${id}`)
      return { faults: faults.list() }
    },
  },
  { name: 'GET /requests', examples: [{}], run: ({ requests }) => requests.all() },
  {
    name: 'GET /violations',
    examples: [
      { about: 'requests of the client that the specification does not allow, such as a cursor beside updatedAfter' },
    ],
    run: ({ violations }) => violations,
  },
  { name: 'GET /tokens', examples: [{}], run: ({ tokens, credentials }) => ({ tokens, credentials }) },
  withBody('POST /tokens', tokenChange, changeToken, [
    { body: { token: 'reader', action: 'deny', permission: 'Api_Users_Read' } },
    {
      body: { token: 'reader', action: 'swap' },
      shows: 'a hold, tenant_changed, with the next run: the token then belongs to the other tenant',
    },
  ]),
]

function bodyOf(text: string): unknown {
  try {
    return text === '' ? {} : JSON.parse(text)
  } catch {
    throw new ControlError(400, 'The body is not JSON')
  }
}

/**
 * Answers a request to the control API: JSON without authentication, for the loopback interface only. An invalid request
 * gets 400 or 404 and `{"error": …}`.
 */
export async function answerControl(simulator: Service, request: Request): Promise<Reply> {
  try {
    const { pathname } = new URL(request.url)
    const [first = '', ...segments] = pathname.slice(1).split('/').map(decodeURIComponent)
    const action = actions.find(({ name }) => name === `${request.method} /${first}`)
    if (action === undefined) throw new ControlError(404, `There is no action ${request.method} /${first}`)
    return json(200, await action.run(simulator, bodyOf(await request.text()), segments))
  } catch (error) {
    const status = error instanceof ControlError ? error.status : error instanceof URIError ? 400 : 500
    return json(status, { error: error instanceof Error ? error.message : 'Unexpected error' })
  }
}

/** Indented JSON with a line end, so that a shell prompt starts on a new line. */
function json(status: number, value: unknown): Reply {
  const headers = { 'content-type': 'application/json; charset=utf-8' }
  const text = JSON.stringify(value ?? {}, (_, part) => (part instanceof Set ? [...part] : part), 2)
  return { status, headers, body: Buffer.from(`${text}\n`) }
}
