import * as z from 'zod'
import { defineCheck } from '../evaluate/check.ts'
import type { RecordReader } from '../store/records/query.ts'
import { factsOf, textOf } from './support/records.ts'

/** File names per query. */
const chunk = 200
/** Most documents that the evidence of one finding lists. */
const mostNamed = 20

export const documentNameUnique = defineCheck({
  id: 'document-name-unique',
  title: 'No two documents have the same file name',
  description: 'Every file name belongs to one document.',
  risk: 'It is unclear which of several documents with the same name is valid.',
  remediation: 'Remove outdated copies, or give each document a name of its own.',
  alert: {
    name: 'DocumentNameTwice',
    summary: { one: 'file name belongs to several documents', other: 'file names belong to several documents' },
  },
  frameworks: ['soc2 CC2.1', 'iso27001 A.5.37'],
  severities: ['info'],
  evaluates: 'documents',
  needs: [],
  entity: { type: 'document-name', isRecord: false },
  timeBased: false,
  material: ['count', 'documents.fileId'],
  options: z.strictObject({}),
  async load(reader) {
    const doubled = await reader.duplicates('documents', 'filename')
    const named = await reader.count('documents', { all: [{ field: 'filename', not: null }] })
    return {
      population: named - doubled.reduce((surplus, { count }) => surplus + count - 1, 0),
      candidates: withDocuments(reader, doubled),
    }
  },
  evaluate({ name, count, documents }) {
    return {
      entityId: name,
      severity: 'info',
      message: `${count} documents have this file name.`,
      evidence: { count, documents },
    }
  },
})

interface DoubledName {
  readonly name: string
  readonly count: number
  readonly documents: readonly Readonly<Record<string, unknown>>[]
}

async function* withDocuments(
  reader: RecordReader,
  doubled: readonly { readonly value: string; readonly count: number }[],
): AsyncIterable<readonly DoubledName[]> {
  for (let at = 0; at < doubled.length; at += chunk) {
    const part = doubled.slice(at, at + chunk)
    const found = new Map<string, Readonly<Record<string, unknown>>[]>(part.map(({ value }) => [value, []]))
    const names = part.map(({ value }) => value)
    for await (const batch of reader.select('documents', { all: [{ field: 'filename', in: names }] })) {
      for (const document of batch) {
        const list = found.get(textOf(document, 'filename') ?? '')
        if (list !== undefined && list.length < mostNamed)
          list.push(factsOf(document, ['fileId', 'uploadStatus', 'createdAt', 'updatedAt']))
      }
    }
    yield part.map(({ value, count }) => ({ name: value, count, documents: found.get(value) ?? [] }))
  }
}
