import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { permissionCodes, resourceNamed, resourceNames } from '../resources/index.ts'
import { tokenNames } from '../seed/tokens.ts'
import { readBody } from '../server/read-body.ts'
import type { ChangeableReadings, Simulator } from '../simulator.ts'
import { tenantNames } from '../truth.ts'
import { effectMembers, faultFrom, matchMembers } from './fault-input.ts'
import { asCount, asMembers, asOneOf, ControlError, type Members, onlyMembers } from './input.ts'

const mutations = ['add', 'update', 'remove'] as const
const tokenActions = ['swap', 'revoke', 'restore', 'rotate', 'grant', 'deny'] as const

/** Changes a token: `{token, action: swap | revoke | restore | rotate | grant | deny, permission?}`. */
function changeToken(simulator: Simulator, body: Members): unknown {
  onlyMembers(body, ['token', 'action', 'permission'], 'The body')
  const token = asOneOf(body['token'], tokenNames(), 'token')
  const action = asOneOf(body['action'], tokenActions, 'action')
  const permission = () => asOneOf(body['permission'], permissionCodes, 'permission')
  switch (action) {
    case 'swap':
      simulator.swapTenant(token)
      break
    case 'revoke':
      simulator.revokeToken(token)
      break
    case 'restore':
      simulator.restoreToken(token)
      break
    case 'rotate':
      simulator.rotateToken(token)
      break
    case 'grant':
      simulator.grantPermission(token, permission())
      break
    case 'deny':
      simulator.revokePermission(token, permission())
      break
    default:
      return action satisfies never
  }
  return { token, value: simulator.tokens[token] }
}

interface Example {
  readonly action: string
  readonly path: string
  readonly body?: Members
  /** Description, if the name is not enough. */
  readonly about?: string
  /** The effect that tenantwatch shows. */
  readonly shows?: string
}

type Action = (simulator: Simulator, segments: readonly string[], body: Members) => unknown

/** Renders records one by one to limit memory. */
function* jsonArray(records: Iterable<unknown>): Generator<string> {
  let open = '['
  for (const record of records) {
    yield `${open}${JSON.stringify(record)}`
    open = ',\n'
  }
  yield open === '[' ? '[]\n' : ']\n'
}

function readState(simulator: Simulator, [tenant, resource]: readonly string[]): Iterable<string> | unknown {
  const state = simulator.state(asOneOf(tenant, tenantNames, 'The tenant in the path /state/<tenant>/<resource>'))
  const name = asOneOf(resource, resourceNames, 'The resource in the path /state/<tenant>/<resource>')
  return name === 'authentication-settings'
    ? state.authenticationSettings()
    : Readable.from(jsonArray(state.records(name)))
}

const actions: Readonly<Record<string, Action>> = {
  'GET ': () => ({
    actions: Object.keys(actions).map(named),
    examples: examples.map((example) => ({ ...example, action: named(example.action) })),
    values: {
      token: tokenNames(),
      tenant: tenantNames,
      resource: resourceNames,
      permission: permissionCodes,
      'POST /mutate': { op: mutations },
      'POST /tokens': { action: tokenActions },
      'POST /faults': { match: matchMembers, 'effect.kind': effectMembers },
    },
  }),
  'GET state': readState,
  'POST users': (simulator, [id], { tenant, ...fields }) =>
    mutate(simulator, { resource: 'users', op: id === undefined ? 'add' : 'update', tenant, id, fields }),
  'POST mutate': (simulator, _segments, body) => mutate(simulator, body),
  'GET faults': (simulator) => simulator.faults.list(),
  'POST faults': (simulator, _segments, body) => simulator.faults.add(faultFrom(body)),
  'DELETE faults': (simulator, [id]) => {
    if (id === undefined) simulator.faults.clear()
    else if (!simulator.faults.remove(id)) throw new ControlError(404, `There is no fault ${id}`)
    return { faults: simulator.faults.list() }
  },
  'GET requests': (simulator) => ({ counters: simulator.requests.counters(), requests: simulator.requests.all() }),
  'DELETE requests': (simulator) => {
    simulator.requests.clear()
    return {}
  },
  'GET violations': (simulator) => simulator.violations,
  'DELETE violations': (simulator) => {
    simulator.clearViolations()
    return {}
  },
  'GET tokens': ({ tokens, credentials, tokenUrl }) => ({ tokens, credentials, tokenUrl }),
  'POST tokens': (simulator, _segments, body) => changeToken(simulator, body),
  'GET readings': ({ readings }) => readings,
  'POST readings': (simulator, _segments, body) => {
    const unknown = Object.keys(body).find((name) => !(name in simulator.readings))
    if (unknown !== undefined) throw new ControlError(400, `There is no reading ${unknown}`)
    for (const fixed of ['documentOrder', 'inactiveRoleState']) {
      if (fixed in body) throw new ControlError(400, `${fixed} cannot change after the start`)
    }
    simulator.setReadings(body as ChangeableReadings)
    return simulator.readings
  },
  'POST cursors': (simulator) => {
    simulator.invalidateCursors()
    return {}
  },
  'POST live': (simulator, _segments, body) => {
    onlyMembers(body, ['steps'], 'The body')
    return simulator.live({ steps: asCount(body['steps'] ?? 1, 'steps') })
  },
}

/** `GET /faults` for the action `GET faults`. */
const named = (action: string) =>
  action === 'GET state' ? 'GET /state/<tenant>/<resource>' : action.replace(' ', ' /')

const examples: readonly Example[] = [
  { action: 'GET ', path: '/' },
  { action: 'GET state', path: '/state/primary/roles' },
  { action: 'POST users', path: '/users', body: { tenant: 'primary', firstName: 'Ada', mfaStatus: false } },
  {
    action: 'POST mutate',
    path: '/mutate',
    body: { tenant: 'primary', resource: 'authentication-settings', op: 'update', fields: { ssoEnforced: false } },
  },
  {
    action: 'POST mutate',
    path: '/mutate',
    body: { tenant: 'primary', resource: 'users', op: 'remove', id: 1001 },
    about: 'id: that of the record in GET /state/<tenant>/<resource>; one record a request',
  },
  { action: 'GET faults', path: '/faults' },
  {
    action: 'POST faults',
    path: '/faults',
    body: { path: '/api/public/users', effect: { kind: 'drop', ids: [1002, 1003, 1004] } },
    about: 'leaves many records out of a list at once, until DELETE /faults; reading one by its id still finds it',
  },
  {
    action: 'POST faults',
    path: '/faults',
    body: { path: '/api/public/users', times: 3, effect: { kind: 'status', status: 500 } },
  },
  {
    action: 'POST faults',
    path: '/faults',
    body: { path: '/api/public/users', effect: { kind: 'empty' } },
    shows: 'a hold, shrink_held of users, after the next full sync; it ends after DELETE /faults',
  },
  { action: 'DELETE faults', path: '/faults' },
  { action: 'GET requests', path: '/requests' },
  { action: 'DELETE requests', path: '/requests' },
  {
    action: 'GET violations',
    path: '/violations',
    about: 'requests of the client that the specification does not allow, such as a cursor beside updatedAfter',
  },
  { action: 'DELETE violations', path: '/violations', about: 'forgets them' },
  { action: 'GET tokens', path: '/tokens' },
  { action: 'POST tokens', path: '/tokens', body: { token: 'reader', action: 'deny', permission: 'Api_Users_Read' } },
  {
    action: 'POST tokens',
    path: '/tokens',
    body: { token: 'reader', action: 'swap' },
    shows: 'a hold, tenant_changed, with the next run: the token then belongs to the other tenant',
  },
  {
    action: 'GET readings',
    path: '/readings',
    about: 'how the server reads what the specification leaves open, such as the form of times or of an error',
  },
  {
    action: 'POST readings',
    path: '/readings',
    body: { timestamps: 'z7' },
    about: 'other readings, by the same names',
  },
  { action: 'POST cursors', path: '/cursors', about: 'invalidates every cursor handed out so far' },
  { action: 'POST live', path: '/live', body: { steps: 1 }, about: 'lets small changes happen at once' },
]

async function bodyOf(request: IncomingMessage): Promise<Members> {
  const bytes = await readBody(request)
  if (bytes === null) throw new ControlError(413, 'The body is longer than 1 MiB')
  if (bytes.length === 0) return {}
  try {
    return asMembers(JSON.parse(bytes.toString()), 'The body')
  } catch (error) {
    if (error instanceof SyntaxError) throw new ControlError(400, 'The body is not JSON')
    throw error
  }
}

async function serve(simulator: Simulator, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const headers = { 'content-type': 'application/json; charset=utf-8' }
  try {
    const { pathname } = new URL(request.url ?? '/', 'http://control.invalid')
    const [first = '', ...segments] = pathname.slice(1).split('/').map(decodeURIComponent)
    const action = actions[`${request.method} ${first}`]
    if (action === undefined) throw new ControlError(404, `There is no action ${request.method} /${first}`)
    const result = action(simulator, segments, await bodyOf(request))
    response.writeHead(200, headers)
    if (result instanceof Readable) await pipeline(result, response)
    else response.end(line(result))
  } catch (error) {
    const status = error instanceof ControlError ? error.status : 500
    const message = error instanceof Error ? error.message : 'Unexpected error'
    if (!response.headersSent) response.writeHead(status, headers)
    response.end(line({ error: message }))
  }
}

/** Indented JSON with a line end, so that a shell prompt starts on a new line. */
const line = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`

/**
 * Makes the request listener of the control interface: JSON without authentication, for the loopback interface only. An
 * invalid request gets 400 or 404 and `{"error": …}`.
 */
export function createControlHandler(simulator: Simulator) {
  return (request: IncomingMessage, response: ServerResponse): void => {
    void serve(simulator, request, response)
  }
}

/** Changes a tenant's data: `{tenant?, resource, op: add | update | remove, id?, fields?}`. */
function mutate(simulator: Simulator, body: Members): unknown {
  onlyMembers(body, ['tenant', 'resource', 'op', 'id', 'fields'], 'The body')
  const tenant = asOneOf(body['tenant'] ?? 'primary', tenantNames, 'tenant')
  const resource = asOneOf(body['resource'], resourceNames, 'resource')
  const op = asOneOf(body['op'], mutations, 'op')
  const fields = asMembers(body['fields'] ?? {}, 'fields')
  const { add, update, remove } = resourceNamed(resource).operations(simulator.tenant(tenant))
  const id = String(body['id'])
  try {
    if (op === 'update') return { record: update(id, fields) }
    if (op === 'add' && add !== undefined) return { record: add(fields) }
    if (op === 'remove' && remove !== undefined) return { removed: remove(id) }
  } catch (error) {
    if (error instanceof RangeError) throw new ControlError(404, error.message)
    throw error
  }
  throw new ControlError(400, `${resource} cannot be ${op === 'add' ? 'added' : 'removed'}`)
}
