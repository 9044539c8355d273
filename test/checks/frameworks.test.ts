import { expect, it } from 'vitest'
import { frameworks, isEvidenceFor } from '../../src/checks/frameworks.ts'
import { checks } from '../../src/checks/index.ts'

const requirements = frameworks.flatMap((framework) =>
  framework.requirements.map(({ id, title }) => ({
    name: `${framework.id} ${id}`,
    title,
    isCovered: checks.some((check) => isEvidenceFor(check, framework, id)),
  })),
)

it.each(checks)(
  'lets $id name requirements that there are, each once, as a framework writes them',
  ({ frameworks }) => {
    const names = requirements.map(({ name }) => name)
    expect(frameworks.filter((text) => !names.includes(text))).toEqual([])
    expect(new Set(frameworks).size).toBe(frameworks.length)
  },
)

it('names every requirement once, with a unique title', () => {
  const names = requirements.map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
  for (const { name, title } of requirements)
    expect([name, title.length > 10 && title.length < 90, title.endsWith('.')]).toEqual([name, true, false])
})
