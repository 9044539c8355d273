import * as z from 'zod'
import { parseIsoDate } from '../model/dates.ts'
import { dayMs } from '../model/durations.ts'
import { mayBeUnread } from './own-checks/own-checks.ts'
import type { Waiver } from './settings.ts'
import type { Context } from './yaml/context.ts'
import { text, textAs } from './yaml/leaves.ts'
import { nearest } from './yaml/nearest.ts'
import type { KeyPath } from './yaml/report.ts'
import { readList, readSection } from './yaml/section.ts'

export const waiverFields = {
  id: text('expected a unique id of the waiver', /^\S(.*\S)?$/),
  check: text('expected the id of a check'),
  entity: entity(),
  tenant: text('expected the name of a tenant'),
  reason: textAs('expected the reason in 20 characters or more', (reason) =>
    reason.trim().length >= 20 ? { value: reason.trim() } : { problem: 'expected the reason in 20 characters or more' },
  ),
  owner: text('expected the person or team that is responsible'),
  expires: expiry(),
}

/** Reads `waivers`. An expired waiver is no problem; it waives nothing. */
export function readWaivers(raw: unknown, tenants: readonly string[], context: Context): readonly Waiver[] {
  const { report, catalogue } = context
  const ids = new Map<string, number>()
  const checks = catalogue.checks.map(({ id }) => id)
  return readList(raw, ['waivers'], report).flatMap((item, index) => {
    const path = ['waivers', index]
    const {
      id,
      check,
      entity,
      tenant,
      reason,
      owner,
      expires: expiresMs,
    } = readSection(waiverFields, item, path, report)
    const first = id === undefined ? undefined : ids.get(id)
    if (first !== undefined) report.wrong([...path, 'id'], id, `\`waivers[${first}]\` has this id already`)
    else if (id !== undefined) ids.set(id, index)
    if (check !== undefined && !mayBeUnread(check, catalogue))
      checkName(check, checks, [...path, 'check'], 'check', context)
    checkName(tenant, tenants, [...path, 'tenant'], 'tenant', context)
    if (id === undefined || check === undefined || entity === undefined || tenant === undefined) return []
    if (reason === undefined || owner === undefined || expiresMs === undefined) return []
    return [{ id, check, entity, tenant, reason, owner, expiresMs }]
  })
}

function checkName(
  name: string | undefined,
  known: readonly string[],
  path: KeyPath,
  kind: string,
  { report }: Context,
): void {
  if (name === undefined || known.includes(name)) return
  const near = nearest(name, known)
  const advice = near === undefined ? `expected one of ${known.join(', ')}` : `did you mean "${near}"?`
  report.wrong(path, name, `there is no such ${kind}; ${advice}`)
}

/** Accepts a number too, because ids of users and roles are numbers. */
function entity(): z.ZodType<string> {
  const wanted = 'expected the id of the entity, or "*" for all'
  return z.preprocess((value) => (Number.isSafeInteger(value) ? String(value) : value), text(wanted))
}

function expiry(): z.ZodType<number> {
  const wanted = 'expected a date as YYYY-MM-DD, the last valid day'
  return textAs(wanted, (text) => {
    if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return { problem: wanted }
    const date = parseIsoDate(text)
    if (date === undefined) return { problem: 'there is no such day; expected a date as YYYY-MM-DD' }
    return { value: date.ms + dayMs - 1 }
  })
}
