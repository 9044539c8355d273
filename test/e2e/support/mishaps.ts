import type { Simulator } from '../../../src/simulator/index.ts'
import { day, ownClient, reconfigure, type World, type WorldOptions, waiverOf } from './watched-world.ts'

/** A fault in a tenant or in its monitoring, and the alert that reports it. */
export interface Mishap {
  readonly alert: string
  readonly spoil: (world: World) => unknown
  readonly repair: (world: World) => unknown
}

const ownCheck = `-- id: nobody-is-mallory
-- title: Nobody is called Mallory
-- severity: high
-- inputs: users

select userId as entity,
  case when lastName = 'Mallory' then 'alarm' else 'ok' end as status,
  'The user is called Mallory.' as reason
from users
`

/** A second tenant, asked for in small pieces. */
const globex = (baseUrl: string) => `  - name: globex
    baseUrl: ${baseUrl}
    auth: { token: { env: GLOBEX_TOKEN } }
    api: { pageSize: 1 }
`

const clientWithWaiver = ({ primary, credentials }: Simulator) =>
  nth(
    [...primary.state.apiClients()].filter(({ clientId }) => clientId !== credentials.reader.clientId),
    2,
  ).clientId

/** A world that is well, in which each of the mishaps can happen. */
export const worldOfMishaps: WorldOptions = {
  before(simulator) {
    const { primary } = simulator
    for (const { clientId } of [...primary.state.apiClients()])
      primary.updateApiClient(clientId, { roleName: 'Compliance Reader' })
    // Accepted from the first moment on.
    primary.updateApiClient(clientWithWaiver(simulator), { roleName: 'User Provisioning' })
    primary.addRole({ name: 'Importer', permissions: ['Api_Users_Create'] })
    primary.addDocument({ filename: 'policy.pdf', uploadStatus: 'Completed' })
  },
  files: { 'own/mallory.sql': ownCheck },
  ofTenant: ownClient,
  more: (simulator) => `ownChecks: { folder: own, timeoutSeconds: 300 }
checks: { document-required-present: { requirements: [{ id: policy, pattern: "policy*" }] } }
waivers:
${waiverOf('accepted', 200, 'api-client-least-privilege', clientWithWaiver(simulator))}${waiverOf('of-somebody', 200, 'user-mfa-enrolled', String(nth(simulator.primary.state.users(), 5).userId))}`,
}

const refusal = { kind: 'status', status: 400, code: 'BAD_REQUEST' } as const

function nth<T>(records: Iterable<T>, index: number): T {
  const found = [...records][index]
  if (found === undefined) throw new Error(`There is no record ${index}`)
  return found
}

/** Single faults; faults that end the daemon are tested elsewhere. */
export function mishaps({ simulator }: World): readonly Mishap[] {
  return [...ofClients(simulator), ...ofPeople(simulator), ...ofDocuments(simulator), ...ofTheWatch(simulator)]
}

function ofClients(simulator: Simulator): readonly Mishap[] {
  const { primary, credentials } = simulator
  const clients = [...primary.state.apiClients()].filter(({ clientId }) => clientId !== credentials.reader.clientId)
  const [strong, lost, accepted] = [nth(clients, 0), nth(clients, 1), clientWithWaiver(simulator)]
  return [
    {
      alert: 'TenantwatchClientOverprivileged',
      spoil: () => primary.updateApiClient(strong.clientId, { roleName: 'User Provisioning' }),
      repair: () => primary.updateApiClient(strong.clientId, { roleName: 'Compliance Reader' }),
    },
    {
      alert: 'TenantwatchClientRoleBroken',
      spoil: () => primary.updateApiClient(lost.clientId, { roleName: 'Nobody knows this role' }),
      repair: () => primary.updateApiClient(lost.clientId, { roleName: 'Compliance Reader' }),
    },
    {
      alert: 'TenantwatchOwnSecretExpires',
      spoil: () =>
        primary.updateApiClient(credentials.reader.clientId, { secretExpirationDate: Date.now() + 20 * day }),
      repair: () =>
        primary.updateApiClient(credentials.reader.clientId, { secretExpirationDate: Date.now() + 200 * day }),
    },
    {
      alert: 'TenantwatchWaiverLapsed',
      spoil: () => primary.updateApiClient(accepted, { roleName: 'Importer' }),
      repair: () => primary.updateApiClient(accepted, { roleName: 'Compliance Reader' }),
    },
  ]
}

function ofPeople({ primary }: Simulator): readonly Mishap[] {
  const people = [...primary.state.users()]
  const [odd, gone, mallory, sidelined] = [nth(people, 3), nth(people, 5), nth(people, 6), nth(people, 7)]
  const roles = [...primary.state.roles()]
  const narrowed = nth(
    roles.filter(({ roleId }) => roleId !== sidelined.roleId),
    0,
  )
  let invited = 0
  return [
    {
      alert: 'TenantwatchInvitationStale',
      spoil: () => {
        invited = primary.addUser({ state: 'Invited', mfaStatus: true, createdAt: Date.now() - 40 * day }).userId
      },
      repair: () => primary.updateUser(invited, { state: 'Active' }),
    },
    {
      alert: 'TenantwatchOwnCheckFails',
      spoil: () => primary.updateUser(mallory.userId, { lastName: 'Mallory' }),
      repair: () => primary.updateUser(mallory.userId, { lastName: 'Alice' }),
    },
    {
      alert: 'TenantwatchQuarantine',
      spoil: () => primary.updateUser(odd.userId, { raw: { mfaStatus: 'false' } }),
      repair: () => primary.updateUser(odd.userId, { raw: { mfaStatus: true } }),
    },
    {
      alert: 'TenantwatchRolePermissionsDrift',
      spoil: () => primary.updateRole(narrowed.roleId, { permissions: [] }),
      repair: () => primary.updateRole(narrowed.roleId, { permissions: narrowed.permissions.map(({ code }) => code) }),
    },
    {
      alert: 'TenantwatchUserRoleBroken',
      spoil: () => primary.updateRole(sidelined.roleId ?? 0, { state: 'Inactive' }),
      repair: () => primary.updateRole(sidelined.roleId ?? 0, { state: 'Active' }),
    },
    {
      alert: 'TenantwatchWaiverOrphaned',
      spoil: () => primary.removeUser(gone.userId),
      repair: (world) => reconfigure(world, (text) => text.replace(/^ {2}- \{ id: of-somebody.*\n/m, '')),
    },
    {
      alert: 'TenantwatchMfaPolicyOff',
      spoil: () => primary.setSettings({ mfaEnabled: false }),
      repair: () => primary.setSettings({ mfaEnabled: true }),
    },
  ]
}

function ofDocuments({ primary }: Simulator): readonly Mishap[] {
  let [stuck, outdated] = ['', '']
  const policy = nth(
    [...primary.state.documents()].filter(({ filename }) => filename === 'policy.pdf'),
    0,
  )
  return [
    {
      alert: 'TenantwatchDocumentMissing',
      spoil: () => primary.removeDocument(policy.fileId),
      repair: () => primary.addDocument({ filename: 'policy.pdf', uploadStatus: 'Completed' }),
    },
    {
      alert: 'TenantwatchDocumentOutdated',
      spoil: () => {
        const createdAt = Date.now() - 400 * day
        outdated = primary.addDocument({ filename: 'old.pdf', uploadStatus: 'Completed', createdAt }).fileId
      },
      repair: () => primary.removeDocument(outdated),
    },
    {
      alert: 'TenantwatchDocumentStuck',
      spoil: () => {
        const createdAt = Date.now() - 3 * day
        stuck = primary.addDocument({ filename: 'stuck.pdf', uploadStatus: 'Processing', createdAt }).fileId
      },
      repair: () => primary.removeDocument(stuck),
    },
  ]
}

function ofTheWatch(simulator: Simulator): readonly Mishap[] {
  const { faults } = simulator
  let [never, refused, ahead] = ['', '', '']
  return [
    {
      alert: 'TenantwatchSyncNever',
      spoil: (world) => {
        // Its first full sync of the users is slow, and takes longer than any alert waits.
        faults.add({ tenant: 'second', path: '/api/public/users', effect: { kind: 'delay', ms: 2500 } })
        never = faults.add({ tenant: 'second', path: '/api/public/permissions', effect: refusal }).id
        reconfigure(world, (text) => text.replace('\napi: {', `\n${globex(simulator.baseUrl)}api: {`))
      },
      repair: () => faults.remove(never),
    },
    {
      alert: 'TenantwatchClockWrong',
      spoil: () => {
        ahead = faults.add({ tenant: 'second', effect: { kind: 'clock-skew', ms: 400_000 } }).id
      },
      repair: () => faults.remove(ahead),
    },
    {
      alert: 'TenantwatchContractChanged',
      spoil: () => simulator.setReadings({ unknownFields: true }),
      repair: () => simulator.setReadings({ unknownFields: false }),
    },
    {
      alert: 'TenantwatchSyncFailing',
      spoil: () => {
        refused = faults.add({ tenant: 'primary', path: '/api/public/permissions', effect: refusal }).id
      },
      repair: () => faults.remove(refused),
    },
  ]
}
