/** What the benchmark's tenant holds; everything follows from these numbers alone. */
export interface WorldState {
  readonly users: number
  /** Users that are not enrolled although the policy wants it, spread evenly. */
  readonly failing: number
  /** Users that are gone from the list and denied by id, spread evenly. */
  readonly removed: number
  /** Users with another name and another flag than at first, spread evenly. */
  readonly changed: number
  readonly documents: number
  readonly clients: number
}

export const pageSize = 200
export const firstUserId = 1000
const year = 365 * 86_400_000

const roleNames = ['Member', 'Viewer', 'Auditor', 'Analyst', 'Editor', 'Approver', 'Owner', 'Support', 'Guest', 'Lead']
const firstNames = ['Alice', 'Bruno', 'Chloé', 'Dmitri', 'Elena', 'Farid', 'Greta', 'Hugo', 'Ingrid', 'João', 'Kofi']
const lastNames = ['Abbott', 'Bauer', 'Costa', 'Dubois', 'Eriksen', 'Fischer', 'García', 'Haddad', 'Ito', 'Jansen']

/** True for `count` of `total` indexes, spread evenly, `phase` apart from other such sets. */
function isOneOf(index: number, count: number, total: number, phase: number): boolean {
  if (count === 0) return false
  const step = Math.max(1, Math.floor(total / count))
  const offset = index - (phase % step)
  return offset >= 0 && offset % step === 0 && offset / step < count
}

/** Renders the benchmark's tenant in the API's own shapes (docs/api.md#user). */
export interface World {
  readonly state: WorldState
  /** JSON of the user at this index; `roleId` only where the specification shows it. */
  user(index: number, withRole: boolean): string
  isRemoved(index: number): boolean
  document(index: number): string
  client(index: number): string
  readonly roles: string
  readonly permissions: string
  readonly settings: string
}

export function apiWorld(state: WorldState, startedAt: number): World {
  const { users, failing, removed, changed } = state
  const iso = (ms: number) => new Date(ms).toISOString()
  const permission = (id: number) => ({
    permissionId: id,
    name: 'Read',
    module: 'Api',
    function: `Area ${id}`,
    code: `Api_Area${id}_Read`,
  })
  const permissions = Array.from({ length: 40 }, (_, i) => permission(i + 1))
  const role = (name: string, i: number) => ({
    roleId: i + 1,
    name,
    description: `${name} of the tenant`,
    state: 'Active',
    type: 'User',
    isReadOnly: false,
    permissions: permissions.slice(0, 10 + i),
  })
  return {
    state,
    isRemoved: (index) => isOneOf(index, removed, users, 5),
    user(index, withRole) {
      const other = isOneOf(index, changed, users, 3)
      const enrolled = !isOneOf(index, failing, users, 1)
      const firstName = firstNames[index % firstNames.length]
      const lastName = `${lastNames[(index >>> 3) % lastNames.length]}${other ? '-New' : ''}`
      const roleAt = index % 3 === 0 ? (index >>> 2) % roleNames.length : 0
      const createdAt = iso(Math.floor(startedAt - 3 * year + ((index + 1) / (users + 1)) * 2.9 * year))
      return `{"userId":${firstUserId + index},"firstName":"${firstName}","lastName":"${lastName}","email":"user.${index}@bench.example","state":"Active","mfaStatus":${enrolled},"mfaAction":${other},"roleId":${withRole ? roleAt + 1 : null},"roleName":"${roleNames[roleAt]}","createdAt":"${createdAt}"}`
    },
    document: (index) =>
      JSON.stringify({
        fileId: guid(0xd0c, index),
        filename: `Policy ${index}.pdf`,
        uploadStatus: 'Completed',
        createdAt: iso(startedAt - year / 2 + index),
        updatedAt: iso(startedAt - year / 4 + index),
      }),
    client: (index) =>
      JSON.stringify({
        clientId: guid(0xc1e, index),
        name: `Client ${index}`,
        roleName: roleNames[index % roleNames.length],
        secretExpirationDate: iso(startedAt + year / 2),
        createdAt: iso(startedAt - year / 2),
      }),
    roles: JSON.stringify(roleNames.map(role)),
    permissions: JSON.stringify(permissions),
    settings: JSON.stringify({
      ssoEnabled: true,
      ssoEnforced: true,
      providerType: 'Saml',
      tenantName: 'bench',
      mfaEnabled: true,
    }),
  }
}

/** A GUID of the number, for ids and requests. */
export function guid(kind: number, index: number): string {
  const hex = (value: number, digits: number) => value.toString(16).padStart(digits, '0')
  return `${hex(kind, 8)}-0000-4000-8000-${hex(index, 12)}`
}
