import type { Check } from '../evaluate/check.ts'
import type { Mirror } from '../mirror/port.ts'
import type { CheckView, TenantPosture } from '../model/posture.ts'

/** The posture of a tenant with what is wrong with its own checks, and whom other checks could not evaluate. */
export async function withProblems(
  posture: TenantPosture,
  {
    checks,
    mirror,
    tenantId,
  }: { readonly checks: readonly Check[]; readonly mirror: Mirror; readonly tenantId: number },
): Promise<TenantPosture> {
  const own = new Map(checks.flatMap((check) => (check.own === undefined ? [] : [[check.id, check.own] as const])))
  if (own.size === 0 && posture.checks.every(({ notEvaluated }) => (notEvaluated ?? 0) === 0)) return posture
  const noted = await mirror.checkProblems(tenantId)
  const notesOf = ({ check, enabled, notEvaluated }: CheckView): Partial<CheckView> => {
    const [source, note] = [own.get(check), noted.get(check)]
    if (!enabled) return {}
    if (source !== undefined && source.problem !== null) return { problem: `${source.file}: ${source.problem}` }
    if (note === undefined) return {}
    if (source !== undefined) return { problem: note }
    return (notEvaluated ?? 0) > 0 ? { unevaluated: JSON.parse(note) as readonly string[] } : {}
  }
  return { ...posture, checks: posture.checks.map((view) => ({ ...view, ...notesOf(view) })) }
}
