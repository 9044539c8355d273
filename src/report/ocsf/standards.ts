import type { Framework } from '../../checks/frameworks/framework.ts'
import { frameworks } from '../../checks/frameworks.ts'

/** What a check bears upon, in the words of OCSF's object `compliance`. */
export interface Standards {
  readonly standards: readonly string[]
  readonly requirements: readonly string[]
}

/** Stands where a check bears upon no framework: the schema wants a standard. */
const ownStandard = 'tenantwatch checks'

/**
 * The requirements that a check is evidence towards.
 *
 * @param title of the check, the requirement where no framework has one.
 * @param written frameworks and requirements that the author of an own check names, as `soc2 CC6.1`.
 */
export function standardsOf(check: string, title: string, written: readonly string[] = []): Standards {
  const named = new Set(written.map(normal))
  const found = (frameworks as readonly Framework[]).flatMap(({ id, name, requirements }) =>
    requirements
      .filter((one) => one.checks.includes(check) || named.delete(normal(`${id} ${one.id}`)))
      .map((one) => ({ standard: name, requirement: `${name} ${one.id}: ${one.title}` })),
  )
  // What no framework here has, in its author's words.
  const others = written.filter((text) => named.has(normal(text)))
  const standards = new Set([...found.map(({ standard }) => standard), ...others])
  if (standards.size === 0) return { standards: [ownStandard], requirements: [title] }
  return { standards: [...standards], requirements: [...found.map(({ requirement }) => requirement), ...others] }
}

function normal(text: string): string {
  return text.toLowerCase().replace(/[\s:]+/g, ' ')
}
