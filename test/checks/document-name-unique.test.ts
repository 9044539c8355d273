import { documentNameUnique as check } from '../../src/checks/document-name-unique.ts'
import { itFinds } from './support/evaluator.ts'
import { document } from './support/facts.ts'

const named = (filename: string | null, ...ids: readonly string[]) =>
  ids.map((fileId) => document({ fileId, filename }))
const thirty = Array.from({ length: 30 }, (_, n) => `d${n}`)

itFinds(check, [
  [
    'unique names, and documents without a name',
    { documents: [...named('policy.pdf', 'd1'), ...named('Policy.pdf', 'd2'), ...named(null, 'd3', 'd4')] },
    [],
    { population: 2 },
  ],
  [
    'each duplicate name once',
    {
      documents: [
        ...named('plan.pdf', 'd1', 'd2', 'd3'),
        ...named('__proto__', 'd4', 'd5'),
        ...named('alone.pdf', 'd6'),
      ],
    },
    ['__proto__ info', 'plan.pdf info'],
    { population: 3 },
  ],
  [
    'a name of thirty documents, of which it lists twenty',
    { documents: named('policy.pdf', ...thirty) },
    ['policy.pdf info'],
    { evidence: { count: 30, documents: { length: 20, 0: { fileId: 'd0' } } } },
  ],
])
