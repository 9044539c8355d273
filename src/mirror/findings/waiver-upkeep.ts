import { severities } from '../../model/severity.ts'

const rank = (column: string) =>
  `case ${column} ${severities.map((severity, i) => `when '${severity}' then ${i}`).join(' ')} end`

/** Findings of a check's first complete result existed before anybody could review them. */
const wasEvaluated = `exists (select 1 from check_status_changes c
  where c.tenant_id = d.tenant_id and c."check" = d."check" and c.at < d.at and c.entities is not null)`

/** Ends acceptances after another tenant was accepted: the same ids are other entities there. */
export const anotherTenant = `update waived_findings set lapsed_at = @at,
  lapsed_facts = json_set(facts, '$.tenant', 'accepted as another one')
  where tenant_id = @tenantId and lapsed_at is null`

/** @param part condition on `staged_findings` with three parameters; needs the function `is_same_facts`. */
export function waiverUpkeep(part: string): readonly string[] {
  const failing = `(select * from staged_findings where ${part} and kind <> 'resolved' and facts is not null)`
  return [
    `update waived_findings set open_severity = case when d.kind <> 'resolved' then d.severity end
     from (select * from staged_findings where ${part}) d where waived_findings.fingerprint = d.fingerprint`,
    `update waived_findings set lapsed_at = d.at, lapsed_facts = d.facts from ${failing} d
     where waived_findings.fingerprint = d.fingerprint and waived_findings.lapsed_at is null
       and waived_findings.facts <> d.facts
       and (d.kind = 'replaced' or not is_same_facts(waived_findings.facts, d.facts))`,
    `update waived_findings set more_severe = ${rank('d.severity')} > ${rank('waived_findings.severity')} from ${failing} d
     where waived_findings.fingerprint = d.fingerprint`,
    `insert or ignore into waived_findings
       (fingerprint, waiver, tenant_id, "check", terms, facts, severity, accepted_at, later, open_severity)
     select d.fingerprint, w.id, d.tenant_id, d."check", w.terms, d.facts, d.severity, d.at,
       w.entity = '*' and d.at > w.since and ${wasEvaluated}, d.severity
     from ${failing} d join waivers w on w.tenant_id = d.tenant_id and w."check" = d."check"
       and (w.entity = '*' or w.entity = d.entity_id or w.entity_key = d.entity_id)
     where w.expires_at >= d.at`,
  ]
}
