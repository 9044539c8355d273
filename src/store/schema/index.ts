export * from './events.ts'
export * from './findings.ts'
export * from './records.ts'
export * from './sync.ts'
