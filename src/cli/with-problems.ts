import type { Check } from '../evaluate/check.ts'
import type { Mirror } from '../mirror/port.ts'
import type { CheckView, TenantPosture } from '../model/posture.ts'

/** The posture of a tenant with what is wrong with its own checks, while they cannot be judged for that. */
export async function withProblems(
  posture: TenantPosture,
  {
    checks,
    mirror,
    tenantId,
  }: { readonly checks: readonly Check[]; readonly mirror: Mirror; readonly tenantId: number },
): Promise<TenantPosture> {
  const own = new Map(checks.flatMap((check) => (check.own === undefined ? [] : [[check.id, check.own] as const])))
  if (own.size === 0) return posture
  const noted = await mirror.checkProblems(tenantId)
  const problemOf = ({ check, enabled }: CheckView): string | undefined => {
    const source = own.get(check)
    if (source === undefined || !enabled) return undefined
    return source.problem === null ? noted.get(check) : `${source.file}: ${source.problem}`
  }
  return {
    ...posture,
    checks: posture.checks.map((view) => {
      const problem = problemOf(view)
      return problem === undefined ? view : { ...view, problem }
    }),
  }
}
