import { type Outcome, ok } from '../evaluate/check.ts'
import { defineCheck } from './support/define-check.ts'
import { factsOf, textOf } from './support/records.ts'

/** Most documents that the evidence of one finding lists. */
const mostNamed = 20

export const documentNameUnique = defineCheck({
  id: 'document-name-unique',
  title: 'No two documents have the same file name',
  failing: ['file name belongs to several documents', 'file names belong to several documents'],
  description: 'Every file name belongs to one document.',
  risk: 'It is unclear which of several documents with the same name is valid.',
  remediation: 'Remove outdated copies, or give each document a name of its own.',
  alert: 'DocumentNameTwice',
  frameworks: 'soc2 CC2.1, iso27001 A.5.37',
  severities: ['info'],
  evaluates: 'documents',
  entity: { type: 'document-name', isRecord: false },
  material: ['count', 'documents.fileId'],
  begin() {
    const names = new Map<string, Named>()
    return {
      record(document) {
        const name = textOf(document, 'filename')
        if (name === null) return null
        const named = names.get(name) ?? { count: 0, documents: [] }
        named.count++
        if (named.documents.length < mostNamed)
          named.documents.push(factsOf(document, ['fileId', 'uploadStatus', 'createdAt', 'updatedAt']))
        names.set(name, named)
        return null
      },
      *end() {
        const doubled: string[] = []
        for (const [name, { count }] of names) {
          if (count === 1) yield [name, ok]
          else doubled.push(name)
        }
        for (const name of doubled.sort()) {
          const { count = 0, documents = [] } = names.get(name) ?? {}
          yield [name, failure(count, documents)]
        }
      },
    }
  },
})

interface Named {
  count: number
  readonly documents: Readonly<Record<string, unknown>>[]
}

function failure(count: number, documents: Named['documents']): Outcome {
  return {
    kind: 'fails',
    severity: 'info',
    message: `${count} documents have this file name.`,
    evidence: { count, documents },
  }
}
