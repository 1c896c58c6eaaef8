"""Models on NVIDIA GPUs: kernels through TileLang's own code generator, and torch's libraries."""

from tilesmith.models.backends.cuda.backend import CudaBackend
from tilesmith.models.backends.cuda.executable import CudaExecutable
from tilesmith.models.backends.cuda.kernels import USUAL_ARCH, cuda_source

__all__ = ["USUAL_ARCH", "CudaBackend", "CudaExecutable", "cuda_source"]
