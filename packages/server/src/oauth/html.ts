// The pages of apps and tokens look as all pages of an account do.
export * from '../users/page-parts.js'
