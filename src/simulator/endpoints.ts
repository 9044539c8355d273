import { type Answer, ApiError, type Call, invalidParameter } from './answer.ts'
import { type CursorContent, firstPosition, readPage } from './cursors.ts'
import { type Kept, type PermissionCode, parseTimestamp, type ResourceName } from './fields.ts'
import type { Readings } from './readings.ts'
import type { Managed } from './tenant.ts'

export interface Endpoint {
  readonly method: 'GET' | 'POST'
  /** Path with `{id}` where a segment is variable. */
  readonly template: string
  readonly permission: PermissionCode
  /** Query parameters that it knows. */
  readonly parameters: (readings: Readings) => readonly (string | null)[]
  readonly handle: (call: Call) => Answer
}

/** What differs between the paginated lists. */
interface Feed<N extends ResourceName> {
  readonly resource: N
  readonly reading: 'users' | 'documents' | 'apiClients'
  /** Error for `cursor` beside `updatedAfter`; undefined where `updatedAfter` is no parameter and any cursor will do. */
  readonly bothCode?: 'BAD_REQUEST' | 'VALIDATION_FAILED'
  /** The instant of a record that `updatedAfter` is compared with; null = never shown. Undefined = ignored. */
  readonly filter?: (readings: Readings) => ((record: Kept<N>) => number | null) | undefined
  /** Fields that only the single record shows. */
  readonly hidden?: Readonly<Record<string, null>>
}

/**
 * A page of a list. Throws 400 for `cursor` beside `updatedAfter`, for a cursor that was not issued and for a timestamp
 * that is none; API clients ignore such a cursor and give the first page.
 */
function list<N extends ResourceName>(call: Call, { resource, reading, bothCode, filter, hidden }: Feed<N>): Answer {
  const { readings, cursors, tenant, query, style } = call
  tenant.settleIngestion()
  // The type of the resources is a union that the compiler cannot narrow by N.
  const managed = tenant.resources[resource] as unknown as Managed<N>
  const scope = readings.cursorBoundToTenant ? `${resource} ${tenant.name}` : resource
  const cursor = call.ignoreCursor ? null : query.get('cursor')
  if (bothCode !== undefined && cursor !== null && query.has('updatedAfter'))
    throw new ApiError(400, bothCode, 'cursor and updatedAfter must not be sent together')
  const content = cursor === null ? null : cursors.decode(scope, cursor)
  if (bothCode !== undefined && cursor !== null && content === null) throw invalidParameter('cursor is not valid')

  const timeOf = filter?.(readings)
  const sent = timeOf === undefined ? null : query.get('updatedAfter')
  const after = sent === null ? (content?.updatedAfter ?? null) : parseTimestamp(sent)
  if (sent !== null && after === null) throw invalidParameter('updatedAfter is not an ISO 8601 timestamp')

  const limit = pageSize(readings, reading, query)
  const matches = (record: Kept<N>) => after === null || timeOf === undefined || (timeOf(record) ?? -Infinity) >= after
  const page = readPage(
    managed.records,
    content?.position ?? firstPosition(readings.cursorKind[reading]),
    limit,
    matches,
  )
  const data = page.records.map((record) => ({ ...managed.show(record, style), ...hidden, ...record.raw }))
  const hasMore = page.hasMore || (readings.hasMoreWhenFull && data.length === limit)
  // The cursor at the end has no filter, because a client that stores it would miss new records.
  const next: CursorContent = { position: page.next, updatedAfter: hasMore ? after : null }
  const nextCursor = hasMore || readings.lastPageCursor[reading] ? cursors.encode(scope, next) : null
  return {
    data,
    pagination: {
      ...(reading !== 'apiClients' && { limit }),
      ...shownCursor(nextCursor, readings),
      hasMore,
      ...(readings.unknownFields && { totalPages: null }),
    },
  }
}

/** The member `nextCursor` of a page, as the readings have it where there is no cursor. */
export function shownCursor(
  cursor: string | null,
  { absentCursor }: Pick<Readings, 'absentCursor'>,
): { nextCursor?: string | null } {
  if (cursor !== null) return { nextCursor: cursor }
  return absentCursor === 'missing' ? {} : { nextCursor: absentCursor === 'empty' ? '' : null }
}

/** The effective page size ("Limits"); throws 400 for one out of range if `badPageSize` is `reject`. */
function pageSize(readings: Readings, feed: Feed<ResourceName>['reading'], query: URLSearchParams): number {
  const { pageSizeParameter, badPageSize, defaultPageSize, maxPageSize } = readings
  const text = pageSizeParameter === null || feed === 'apiClients' ? null : query.get(pageSizeParameter)
  if (text === null || feed === 'apiClients') return defaultPageSize[feed]
  const greatest = maxPageSize[feed]
  const asked = /^\d{1,9}$/.test(text) ? Number(text) : 0
  if (asked >= 1 && asked <= greatest) return asked
  if (badPageSize === 'reject') throw invalidParameter(`${pageSizeParameter} must be an integer from 1 to ${greatest}`)
  return asked > greatest ? greatest : defaultPageSize[feed]
}

const users: Feed<'users'> = {
  resource: 'users',
  reading: 'users',
  bothCode: 'BAD_REQUEST',
  filter: ({ usersUpdatedAfter }) => (usersUpdatedAfter === 'ignored' ? undefined : ({ createdAt }) => createdAt),
  hidden: { roleId: null },
}

const documents: Feed<'documents'> = {
  resource: 'documents',
  reading: 'documents',
  bothCode: 'VALIDATION_FAILED',
  filter:
    ({ updatedAfterNulls }) =>
    ({ createdAt, updatedAt }) =>
      updatedAt ?? (updatedAfterNulls === 'createdAt' ? createdAt : null),
}

const apiClients: Feed<'api-clients'> = { resource: 'api-clients', reading: 'apiClients' }

function feedParameters({ pageSizeParameter }: Readings) {
  return ['cursor', 'updatedAfter', pageSizeParameter]
}

/** All records at once; without guaranteed order, each response starts at another one. */
function whole<N extends ResourceName>({ tenant, response, style }: Call, resource: N) {
  const { records, show } = tenant.resources[resource] as unknown as Managed<N>
  const all = records.all().map((record) => show(record, style))
  const at = all.length === 0 ? 0 : response % all.length
  return { data: [...all.slice(at), ...all.slice(0, at)] }
}

/** One record. Throws 404 `NOT_FOUND`, also for records of other tenants. */
function byId({ tenant, id, style }: Call, resource: 'users' | 'roles'): Answer {
  const { records, show } = tenant.resources[resource] as unknown as Managed<typeof resource>
  const record = /^\d{1,16}$/.test(id) ? records.get(Number(id)) : undefined
  if (record === undefined) throw new ApiError(404, 'NOT_FOUND', 'No such record')
  return { data: show(record, style) }
}

function get(
  path: string,
  permission: PermissionCode,
  handle: Endpoint['handle'],
  parameters: Endpoint['parameters'] = () => [],
): Endpoint {
  return { method: 'GET', template: `/api/public/${path}`, permission, handle, parameters }
}

/** The endpoints of the specification ("Endpoints"). */
export const endpoints: readonly Endpoint[] = [
  {
    method: 'POST',
    template: '/api/public/users',
    permission: 'Api_Users_Create',
    handle: createUser,
    parameters: () => [],
  },
  get('users', 'Api_Users_Read', (call) => list(call, users), feedParameters),
  get('users/{id}', 'Api_Users_Read', (call) => byId(call, 'users')),
  get('roles', 'Api_Roles_Read', (call) => whole(call, 'roles')),
  get('roles/{id}', 'Api_Roles_Read', (call) => byId(call, 'roles')),
  get('permissions', 'Api_Roles_Read', (call) => whole(call, 'permissions')),
  get(
    'api-clients',
    'Api_ApiClients_Read',
    (call) => list(call, apiClients),
    () => ['cursor'],
  ),
  get('documents', 'Api_Documents_Read', (call) => list(call, documents), feedParameters),
  get('authentication-settings', 'Api_AuthSettings_Read', (call) => ({
    data: whole(call, 'authentication-settings').data[0],
  })),
]

export type Route =
  | { readonly endpoint: Endpoint; readonly template: string; readonly id: string }
  | { readonly endpoint: null; readonly template: string | null; readonly error: ApiError }

/** The endpoint of a request; unknown paths are 404, other methods of a known path 405. */
export function findRoute(method: string, path: string): Route {
  const [, root, id] = /^(\/api\/public\/[^/]+)\/([^/]+)$/.exec(path) ?? [path, path]
  const template = id === undefined ? path : `${root}/{id}`
  const ofPath = endpoints.filter((endpoint) => endpoint.template === template)
  const endpoint = ofPath.find((one) => one.method === method)
  if (endpoint !== undefined) return { endpoint, template, id: id ?? '' }
  if (ofPath.length === 0)
    return { endpoint: null, template: null, error: new ApiError(404, 'NOT_FOUND', 'No such path') }
  const allow = ofPath.map((one) => one.method).join(', ')
  const error = new ApiError(405, 'METHOD_NOT_ALLOWED', `Only ${allow} is allowed here`, { allow })
  return { endpoint: null, template, error }
}

/** Greatest lengths; the specification does not give the values. */
const limits = { firstName: 100, lastName: 100, email: 254 } as const

const emailFormat = /^[^\s@"(),:;<>[\\\]]+@(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}$/i

/** A body that is not a JSON object lacks all four fields. */
function parseBody(text: string): Readonly<Record<string, unknown>> {
  try {
    const parsed: unknown = JSON.parse(text)
    return typeof parsed === 'object' && parsed !== null ? { ...parsed } : {}
  } catch {
    return {}
  }
}

/**
 * "Create user": the one endpoint that writes. The whole body is validated first (422 `VALIDATION_FAILED`, every
 * problem named), then the address, whatever its case, must be free in the tenant (409 `CONFLICT`).
 */
export function createUser({ tenant, body, style }: Call): Answer {
  const { roles, users } = tenant.resources
  const fields = parseBody(body)
  const problems: string[] = []
  const text = (field: keyof typeof limits): string => {
    const value = fields[field]
    if (typeof value !== 'string' || value.trim() === '') problems.push(`${field} is required`)
    else if (value.length > limits[field]) problems.push(`${field} must have at most ${limits[field]} characters`)
    else return value
    return ''
  }
  const [firstName, lastName, email] = [text('firstName'), text('lastName'), text('email')]
  if (email !== '' && !emailFormat.test(email)) problems.push('email is not a valid address')
  const { roleId } = fields
  const role = typeof roleId === 'number' && Number.isSafeInteger(roleId) ? roles.records.get(roleId) : undefined
  if (typeof roleId !== 'number' || !Number.isSafeInteger(roleId)) problems.push('roleId is required')
  else if (roleId <= 0) problems.push('roleId must be greater than 0')
  else if (role?.type !== 'User' || role.state !== 'Active') problems.push('roleId matches no assignable role')
  if (problems.length > 0 || role === undefined)
    throw new ApiError(422, 'VALIDATION_FAILED', 'The request body is not valid', {}, problems)
  if (users.records.all().some((user) => user.email.toLowerCase() === email.toLowerCase()))
    throw new ApiError(409, 'CONFLICT', 'A user with this email already exists')
  const invited = { state: 'Invited', mfaStatus: false, mfaAction: false }
  const { userId } = users.add({ firstName, lastName, email, roleId: role.roleId, ...invited })
  const user = users.records.get(userId)
  return { status: 201, data: user && users.show(user, style) }
}
