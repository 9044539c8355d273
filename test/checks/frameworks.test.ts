import { expect, it } from 'vitest'
import { frameworks, unmappedChecks } from '../../src/checks/frameworks.ts'
import { checks } from '../../src/checks/index.ts'

const ids: ReadonlySet<string> = new Set(checks.map(({ id }) => id))
const requirements = frameworks.flatMap(({ id, requirements: all }) =>
  all.map((requirement) => ({ framework: id, ...requirement, checks: requirement.checks as readonly string[] })),
)
const mapped = new Set(requirements.flatMap((requirement) => requirement.checks))

it('maps every check to a requirement, or gives a reason', () => {
  expect([...ids].filter((id) => mapped.has(id) === Object.hasOwn(unmappedChecks, id))).toEqual([])
})

it('names only existing checks', () => {
  expect([...mapped, ...Object.keys(unmappedChecks)].filter((id) => !ids.has(id))).toEqual([])
})

it('names every requirement once, with a unique title', () => {
  for (const { id, requirements: all } of frameworks) {
    const names = all.map((requirement) => requirement.id)
    expect([id, new Set(names).size]).toEqual([id, names.length])
  }
  for (const { id, title, checks: own } of requirements) {
    expect([id, title.length > 10 && title.length < 90, title.endsWith('.')]).toEqual([id, true, false])
    expect([id, new Set(own).size]).toEqual([id, own.length])
  }
})

it('shows in each framework what no check covers', () => {
  for (const { id, requirements: all } of frameworks) {
    const bare = all.filter((requirement) => requirement.checks.length === 0)
    expect([id, bare.length > 2, all.length - bare.length > 4]).toEqual([id, true, true])
  }
})
