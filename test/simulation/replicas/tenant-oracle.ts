import { checks } from '../../../src/checks/index.ts'
import { inputsOf } from '../../../src/evaluate/check.ts'
import { minuteMs } from '../../../src/model/durations.ts'
import type { TenantPosture } from '../../../src/model/posture.ts'
import type { ResourceName } from '../../../src/model/resource-names.ts'
import { FullSyncLog } from '../full-sync-log.ts'
import { checkInputs, isUnshown } from '../oracle-rules.ts'
import type { ViolationClass } from '../tally.ts'
import { cannotPass, keptRoles, keptRolesText, mustFail, type Sight } from '../truth.ts'
import type { DatabaseServer } from './database-server.ts'
import type { SimulatedTenant } from './simulated-tenant.ts'
import type { ReplicaViolationClass } from './violations.ts'

export interface TenantOracleParts {
  readonly tenant: SimulatedTenant
  readonly server: DatabaseServer
  readonly report: (kind: ReplicaViolationClass, what: string) => void
}

/** Knows the truth about one tenant, and holds against it what replicas say and store of it. */
export class TenantOracle {
  readonly fullSyncs = new FullSyncLog()
  passes = 0
  /** What the owner showed last. */
  shown: TenantPosture | undefined
  readonly #parts: TenantOracleParts
  readonly #firstSettings: Readonly<Record<string, unknown>>
  #lastEvent = 0

  constructor(parts: TenantOracleParts) {
    this.#parts = parts
    this.#firstSettings = { ...parts.tenant.world.settings.current }
  }

  /** Also for the checks of inputs that the lives of one process share. */
  report(kind: ViolationClass | ReplicaViolationClass, what: string): void {
    this.#parts.report(kind === 'false_resolution' ? kind : 'false_green', `${this.#parts.tenant.name}: ${what}`)
  }

  /** Looks at what the owner of the tenant shows. */
  async look(posture: TenantPosture): Promise<void> {
    const { tenant } = this.#parts
    this.shown = posture
    this.fullSyncs.note(posture, tenant.wall)
    const at = await this.#sight()
    for (const view of posture.checks) {
      const check = checks.find(({ id }) => id === view.check)
      if (view.status !== 'pass' || check === undefined) continue
      this.passes++
      checkInputs(this, tenant, view, posture, inputsOf(check))
      const failing = mustFail(view.check, at(view.evaluatedAt)).filter(
        (id) => !isUnshown(tenant, check, id, view.evaluatedAt, this.fullSyncs),
      )
      if (failing.length > 0) this.report('false_green', `${view.check} passes although ${failing.join(', ')} cannot`)
    }
    await this.#lookAtResolutions(at)
  }

  /** What the tenant is now, with one instant in sight. */
  async exactly(evaluatedAt: number): Promise<Sight> {
    const { world } = this.#parts.tenant
    const now = () => world.time.now
    return { ...(await this.#sight())(evaluatedAt), from: now, presenceFrom: now, roleIdFrom: now }
  }

  /** A finding that was resolved must have been untrue at some instant in sight. */
  async #lookAtResolutions(at: (evaluatedAt: number | null) => Sight): Promise<void> {
    const { tenant, server } = this.#parts
    const events = await server.query(
      `select e.id, e.at, e.data::json ->> 'resolution' as resolution, f."check", f.entity_id as entity from events e
       join findings f on f.fingerprint = e.subject
       where e.kind = 'finding.resolved' and e.id > ? and f.tenant_id = (select id from tenants where name = ?) order by e.id`,
      this.#lastEvent,
      tenant.name,
    )
    for (const { id, at: ended, resolution, check, entity } of events) {
      this.#lastEvent = Number(id)
      const definition = checks.find((one) => one.id === check)
      if (definition === undefined) continue
      const sight = at(Number(ended))
      const { evaluates } = definition
      if (resolution === 'entity_removed') {
        if (tenant.world.wasAbsent(evaluates, String(entity), sight.presenceFrom(evaluates), sight.to)) continue
        this.report('false_resolution', `${check} of ${entity} ended as removed, but it was there all the time`)
      } else if ((resolution === 'fixed' ? cannotPass : mustFail)(String(check), sight).includes(String(entity))) {
        this.report('false_resolution', `${check} of ${entity} ended as ${resolution}, but it does not pass`)
      }
    }
  }

  /** The data that a check result of a stated time may have read; see `Oracle.sight`. */
  async #sight(): Promise<(evaluatedAt: number | null) => Sight> {
    const { tenant, server } = this.#parts
    const { world, readings, ledger } = tenant
    const id = `(select id from tenants where name = '${tenant.name}')`
    const details = await server.query(
      `select key as id, (supplement::json ->> 'detailReadAt')::bigint as at from records
       where resource = 'users' and tenant_id = ${id}`,
    )
    const readAt = new Map(details.map((row) => [Number(row['id']), row['at']]))
    const kept = await server.query(keptRolesText(id))
    const isExact = (resource: ResourceName) => resource === 'users' || readings.cursorKind === 'keyset'
    return (evaluatedAt) => ({
      world,
      to: world.time.now,
      evaluatedAt: [evaluatedAt ?? world.time.now],
      from: (resource) => (isExact(resource) ? this.fullSyncs.lastSeen(resource) : this.fullSyncs.back(resource, 2)),
      presenceFrom: (resource) => this.fullSyncs.back(resource, isExact(resource) ? 1 : 2),
      roleIdFrom: (userId) => {
        const at = readAt.get(userId)
        return typeof at === 'number' ? at - minuteMs - ledger.lagMs : Number.POSITIVE_INFINITY
      },
      // How long a status has lasted is known to the mirror from when it saw it begin only.
      statusSeenBy: () => null,
      firstSettings: this.#firstSettings,
      firstRoles: keptRoles(kept),
    })
  }
}
