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
  const checks = await database.read((tx) => changed.all(tx, tenantId))
  return checks[0] === undefined ? [] : [{ what: 'results_changed', count: checks.length, check: checks[0] }]
}

/** The table `waived_findings` is not sealed: what lapsed under the terms in force must be there as lapsed. */
export async function compareLapses(database: Database, tenantId: number): Promise<readonly RevivedWaivers[]> {
  const revived = database.prepareValues<[number], string>(
    `select c.waiver from waiver_changes c
     join waivers t on t.tenant_id = c.tenant_id and t.id = c.waiver and t.terms = c.terms
     join findings f on f.fingerprint = c.fingerprint
     where c.tenant_id = ? and not exists (select 1 from waiver_changes n where n.tenant_id = c.tenant_id
         and n.waiver = c.waiver and n.fingerprint is null and n.id > c.id)
       and not exists (select 1 from waived_findings w where w.fingerprint = c.fingerprint and w.waiver = c.waiver
         and w.tenant_id = c.tenant_id and w.terms = c.terms and w.lapsed_at is not null) order by c.waiver`,
  )
  const waivers = await database.read((tx) => revived.all(tx, tenantId))
  return waivers[0] === undefined ? [] : [{ what: 'lapses_missing', count: waivers.length, waiver: waivers[0] }]
}
