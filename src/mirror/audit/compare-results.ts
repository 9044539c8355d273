import type { Database } from '../database.ts'
import type { ResultsMismatch, RevivedWaivers } from './audit-port.ts'

/** Of `check_states`; the other columns change with each confirmation. */
const sealedColumns = ['status', 'reason', 'entities', 'not_evaluated', 'since', 'rule', 'open'] as const

/**
 * Metrics and lists show the results in the table `check_states`, which the chain does not seal: its rows must be those of
 * the last sealed change of each check.
 */
export async function compareResults(database: Database, tenantId: number): Promise<readonly ResultsMismatch[]> {
  const differing = sealedColumns.map((column) => `s.${column} is distinct from c.${column}`)
  const changed = database.prepareValues<[number], string>(
    `select s."check" from check_states s left join check_status_changes c on c.id = (select max(id)
       from check_status_changes l where l.tenant_id = s.tenant_id and l."check" = s."check")
     where s.tenant_id = ? and (${differing.join(' or ')}) order by s."check"`,
  )
  const checks = await database.read(() => changed.all(tenantId))
  return checks[0] === undefined ? [] : [{ what: 'results_changed', count: checks.length, check: checks[0] }]
}

/** The table `waived_findings` is not sealed: what lapsed under terms stays so until other terms are agreed. */
export async function compareLapses(database: Database, tenantId: number): Promise<readonly RevivedWaivers[]> {
  const revived = database.prepareValues<[number], string>(
    `select w.waiver from waived_findings w where w.tenant_id = ? and w.lapsed_at is null and exists (
       select 1 from waiver_changes c where c.tenant_id = w.tenant_id and c.waiver = w.waiver
         and c.fingerprint = w.fingerprint and c.terms = w.terms and not exists (
           select 1 from waiver_changes n where n.tenant_id = c.tenant_id and n.waiver = c.waiver
             and n.fingerprint is null and n.id > c.id)) order by w.waiver`,
  )
  const waivers = await database.read(() => revived.all(tenantId))
  return waivers[0] === undefined ? [] : [{ what: 'lapses_missing', count: waivers.length, waiver: waivers[0] }]
}
