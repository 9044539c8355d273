import { documentCurrent as check } from '../../src/checks/document-current.ts'
import { dayMs } from '../../src/model/time.ts'
import { itFinds } from './support/evaluator.ts'
import { document, iso, now } from './support/facts.ts'

const old = iso(now - 365 * dayMs - 1)
const dated = (createdAt: string, updatedAt: string | null = null) => ({
  documents: [document({ createdAt, updatedAt })],
})

itFinds(check, [
  ['a document created 365 days ago', dated(iso(now - 365 * dayMs)), [], { population: 1 }],
  ['one created a millisecond earlier', dated(old), ['d1 medium'], { population: 1 }],
  ['one created long ago and updated since', dated(old, iso(now)), []],
  ['one updated long ago', dated(old, old), ['d1 medium']],
  ['two days where one is allowed', dated(iso(now - 2 * dayMs)), ['d1 medium'], { options: { days: 1 } }],
])
