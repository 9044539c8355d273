// drizzle-kit takes each table as an export of its own.
module.exports = require('./postgres-schema.ts').tables
