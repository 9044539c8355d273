/** What a tenant of the benchmarks contains; a tenant of the same number always has the same records. */
export interface TenantContents {
  /** Part of every GUID: tenants with the same ids would be one tenant (docs/internals/reliability.md#what-is-not-proven). */
  readonly tenant: number
  readonly users: number
  /** One user in a hundred has another last name and another flag. */
  readonly changed: boolean
}

/** An answer without its `meta`, which the server adds to each response. */
export interface Answer {
  readonly status: number
  readonly beginning: Buffer
}

const pageSize = 200
export const firstUserId = 1000
const yearMs = 365 * 86_400_000

const roleNames = ['Member', 'Viewer', 'Auditor', 'Analyst', 'Editor', 'Approver', 'Owner', 'Support', 'Guest', 'Lead']
const firstNames = ['Alice', 'Bruno', 'Chloé', 'Dmitri', 'Elena', 'Farid', 'Greta', 'Hugo', 'Ingrid', 'João', 'Kofi']
const lastNames = ['Abbott', 'Bauer', 'Costa', 'Dubois', 'Eriksen', 'Fischer', 'García', 'Haddad', 'Ito', 'Jansen']

/**
 * Builds every page of a tenant; returns the answer to a path below `/api/public/` (docs/internals/api.md).
 *
 * @param startedAt - Milliseconds since the epoch, before which everything was created.
 */
export function tenantAnswers(contents: TenantContents, startedAt: number) {
  const { tenant, users } = contents
  const iso = (ms: number) => new Date(Math.floor(ms)).toISOString()
  const user = (index: number, isDetail: boolean) => {
    const isChanged = contents.changed && index % 100 === 3
    const role = index % 3 === 0 ? (index >>> 2) % roleNames.length : 0
    return {
      userId: firstUserId + index,
      firstName: firstNames[index % firstNames.length],
      lastName: `${lastNames[(index >>> 3) % lastNames.length]}${isChanged ? '-New' : ''}`,
      email: `user.${index}@bench.example`,
      state: 'Active',
      mfaStatus: index % 1000 !== 1,
      mfaAction: isChanged,
      // The list does not return it.
      roleId: isDetail ? role + 1 : null,
      roleName: roleNames[role],
      createdAt: iso(startedAt - 3 * yearMs + ((index + 1) / (users + 1)) * 2.9 * yearMs),
    }
  }
  const document = (index: number) => ({
    fileId: guid(0xd0c, tenant, index),
    filename: `Policy ${index}.pdf`,
    uploadStatus: 'Completed',
    createdAt: iso(startedAt - yearMs / 2 + index),
    updatedAt: iso(startedAt - yearMs / 4 + index),
  })
  const client = (index: number) => ({
    clientId: guid(0xc1e, tenant, index),
    name: `Client ${index}`,
    roleName: roleNames[index % roleNames.length],
    secretExpirationDate: iso(startedAt + yearMs / 2),
    createdAt: iso(startedAt - yearMs / 2),
  })
  const lists = new Map([
    ['users', pages(users, (index) => user(index, false))],
    ['documents', pages(Math.ceil(users / 100), document)],
    ['api-clients', pages(5, client)],
  ])
  const whole = new Map([
    ['roles', answer(200, { data: roleNames.map(role), pagination: null, error: null })],
    ['permissions', answer(200, { data: permissions, pagination: null, error: null })],
    ['authentication-settings', answer(200, { data: settings, pagination: null, error: null })],
  ])
  return (path: string, cursor: string | null): Answer => {
    const index = path.startsWith('users/') ? Number(path.slice('users/'.length)) - firstUserId : -1
    if (index >= 0 && index < users) return answer(200, { data: user(index, true), pagination: null, error: null })
    const list = lists.get(path)
    if (list === undefined) return whole.get(path) ?? failure(404, 'NOT_FOUND')
    return list(cursor) ?? failure(400, 'VALIDATION_FAILED')
  }
}

const permissions = Array.from({ length: 40 }, (_, i) => ({
  permissionId: i + 1,
  name: 'Read',
  module: 'Api',
  function: `Area ${i + 1}`,
  code: `Api_Area${i + 1}_Read`,
}))

const role = (name: string, i: number) => ({
  roleId: i + 1,
  name,
  description: `${name} of the tenant`,
  state: 'Active',
  type: 'User',
  isReadOnly: false,
  permissions: permissions.slice(0, 10 + i),
})

const settings = { ssoEnabled: true, ssoEnforced: true, providerType: 'Saml', tenantName: 'bench', mfaEnabled: true }

/** A list by offset. The last page has a cursor too; the page after it is empty. */
function pages(size: number, record: (index: number) => unknown) {
  const build = (from: number) => {
    const to = Math.min(from + pageSize, size)
    const data = Array.from({ length: to - from }, (_, i) => record(from + i))
    return answer(200, {
      data,
      pagination: { limit: pageSize, nextCursor: `c${to}`, hasMore: to < size },
      error: null,
    })
  }
  const ready = new Map<string | null, Answer>()
  for (let from = 0; from < size; from += pageSize) ready.set(from === 0 ? null : `c${from}`, build(from))
  ready.set(size === 0 ? null : `c${size}`, build(size))
  return (cursor: string | null) => ready.get(cursor)
}

function failure(status: number, code: string): Answer {
  return answer(status, { data: null, pagination: null, error: { code, message: 'Refused' } })
}

function answer(status: number, body: object): Answer {
  return { status, beginning: Buffer.from(`${JSON.stringify(body).slice(0, -1)},"meta":`) }
}

/** A GUID of the numbers. */
export function guid(kind: number, tenant: number, index: number): string {
  const hex = (value: number, digits: number) => value.toString(16).padStart(digits, '0')
  return `${hex(kind, 8)}-${hex(tenant, 4)}-4000-8000-${hex(index, 12)}`
}
