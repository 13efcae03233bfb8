/** Addresses of direct uploads. Pure. */

const SCHEME = "upload:";

/** The source URL of an asset whose source is a direct upload. Nothing is fetched from it. */
export const uploadedSourceUrl = (uploadId: string) => `${SCHEME}${uploadId}`;
export const isUploaded = (sourceUrl: string) => sourceUrl.startsWith(SCHEME);

/** The address of an upload without its signature. Nothing can be sent to it. */
export const uploadAddress = ({ id, workspaceId, publicUrl }: { id: string; workspaceId: string; publicUrl: string }) =>
  `${publicUrl}/uploads/${workspaceId}/${id}`;
